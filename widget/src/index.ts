// The entry: it reads the script element's attributes, takes over the calls that
// were queued before it loaded, and offers window.svc.

import { chat, type Config, type Settings } from './chat'

type Call = [name: string, ...rest: any[]]

const script = (document.currentScript || document.querySelector('script[data-site]')) as HTMLScriptElement | null
const queued: ArrayLike<Call> = (window as any).svc?.q || []

let running: ReturnType<typeof chat> | undefined
let settings: Settings | undefined
const waiting: Call[] = []
const listeners: Record<string, Set<(detail: unknown) => void>> = {}

function emit(event: string, detail?: unknown) {
	// What a listener of the page throws is the page's.
	listeners[event]?.forEach((f) => queueMicrotask(() => f(detail)))
}

// ask fetches what the site has set, with the words of a language.
async function ask(set: Settings): Promise<Config> {
	const lang = document.documentElement.lang || navigator.language
	const answer = await fetch(`${set.host}/svc-api/widget/config?` + new URLSearchParams({ site: set.site, locale: set.locale || '', lang }), { credentials: 'omit' })
	const body = await answer.json()
	if (!answer.ok) throw body.detail
	return body
}

async function boot(given: Partial<Settings> = {}) {
	if (running) return running.update(given)
	if (settings) return
	const data = script?.dataset || {}
	const set = (settings = { site: data.site!, locale: data.locale, theme: data.theme, host: script ? new URL(script.src).origin : location.origin, ...given })
	try {
		const config = await ask(set)
		if (settings !== set) return // shut down meanwhile
		running = chat(set, config, emit)
		running.start()
		waiting.splice(0).forEach((c) => call(...c))
	} catch (e) {
		settings = undefined
		console.warn('svc:', e)
		emit('error', { code: 'unavailable', message: e })
	}
}

function call(...[name, ...rest]: Call): void {
	switch (name) {
		case 'boot':
			return void boot(rest[0])
		case 'on':
			;(listeners[rest[0]] ||= new Set()).add(rest[1])
			return
		case 'off':
			return void listeners[rest[0]]?.delete(rest[1])
		case 'track':
			return emit('track', { event: rest[0], props: rest[1] })
	}
	if (!running) {
		if (name === 'shutdown') settings = undefined
		else waiting.push([name, ...rest])
		return
	}
	switch (name) {
		case 'open':
			return running.toggle(true)
		case 'close':
			return running.toggle(false)
		case 'toggle':
			return running.toggle()
		case 'show':
		case 'hide':
			return running.show(name === 'show')
		case 'shutdown':
			running.shutdown()
			running = settings = undefined
			return
		case 'locale':
			return void ask({ ...settings!, locale: rest[0] }).then(running.translate)
		case 'send':
		case 'consent':
		case 'identify':
		case 'update':
		case 'page':
			return void (running[name] as (...a: any[]) => unknown)(...rest)
	}
}

;(window as any).svc = call

const begin = () => {
	const calls = Array.from(queued, (c) => [...(c as any)] as unknown as Call)
	calls.forEach((c) => call(...c))
	if (script?.dataset.site) boot()
}
if (document.body) begin()
else addEventListener('DOMContentLoaded', begin)
