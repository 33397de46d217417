// The chat of one site: it joins the connection, what is kept, and the view.

import { message, type Message } from './message'
import { store } from './store'
import { fill, language, speak, words } from './text'
import { view } from './view'
import { wire, type Frame } from './wire'

export type Config = { name: string; colors: string[]; greeting?: string; consent?: boolean; lang: string; words: Record<string, string> }
export type User = { id?: string; email?: string; name?: string; token?: string }
export type Settings = { site: string; host: string; locale?: string; greeting?: string; theme?: string; user?: User; consent?: boolean; hidden?: boolean }

const random = () => crypto.getRandomValues(new Uint32Array(4)).join('')
const here = () => ({ url: location.href.slice(0, 2000), title: document.title.slice(0, 300), ref: document.referrer.slice(0, 2000) })

export function chat(set: Settings, config: Config, emit: (event: string, detail?: unknown) => void) {
	const kept = store(set.site)
	let user = set.user
	let agreed = !config.consent || !!set.consent || !!kept.get().c
	let since = 0
	let conversation = ''
	let online = true
	let unread = 0
	let telling = 0
	let newest = 0 // seq of what came from the other side
	let messages = new Map<string, Message>() // by id, and by cid until there is one
	let dots: Message | undefined // stands for an answer before its first words
	let typed = 0
	let resting = 0
	let later = 0

	const v = view({
		toggle: (open) => void toggle(open, true),
		send,
		typing,
		email(address) {
			kept.set({ e: address })
			user = { ...user, email: address }
			w.send({ t: 'identify', user })
		},
		agree: () => consent(true),
		// fresh ends the conversation, and shows none of it any more.
		fresh() {
			if (!w.send({ t: 'end' })) return
			kept.set({ s: since })
			reset()
			v.banner('')
		},
	}, set.host)
	const doing = { host: set.host, rate: (id: string, value: number) => void w.send({ t: 'feedback', id, v: value }), quick: (text: string) => void send(text) }

	const w = wire(
		set.host,
		set.site,
		() => ({ visitor: kept.token(), since, lang: language, page: here(), user }),
		got,
		(s) => {
			if (s === 'closed') v.banner(words.closed)
			else if (s === 'off') v.status(words.reconnecting)
			else flush()
		},
	)

	const greet = () => {
		const text = set.greeting || config.greeting
		if (!text || messages.has('greeting')) return
		const m = message({ t: 'msg', from: 'agent', text, name: config.name }, doing)
		m.element.dataset.seq = '-1'
		messages.set('greeting', m)
		v.log.prepend(m.element)
	}

	function reset() {
		messages = new Map()
		v.clear()
		since = newest = kept.get().s || 0
		greet()
		for (const q of kept.get().q || []) own(q.cid, q.text)
	}

	// consent gives or takes back the leave to store and to connect.
	function consent(yes: boolean) {
		agreed = yes || !config.consent
		kept.allow(agreed)
		if (!agreed) {
			w.close()
			kept.clear()
			reset()
			return v.gate()
		}
		if (config.consent) kept.set({ c: true })
		v.pass()
		reset()
		if (v.isOpen() || kept.get().v) w.open()
	}

	async function toggle(open: boolean, focus: boolean) {
		if (open === v.isOpen()) return
		await v.open(open, focus)
		kept.set({ o: open })
		if (open && agreed) {
			w.open()
			seen()
		}
		emit(open ? 'open' : 'close')
	}

	function seen() {
		if (!v.isOpen() || document.hidden) return
		if (newest > (kept.get().r || 0)) {
			kept.set({ r: newest })
			// One frame for many messages that come at once.
			telling ||= setTimeout(() => {
				telling = 0
				w.send({ t: 'read', seq: newest })
			}, 400)
		}
		count(0)
	}

	function count(n: number) {
		if (n === unread) return
		v.unread((unread = n))
		emit('unread', n)
	}

	function typing() {
		clearTimeout(resting)
		resting = setTimeout(rest, 4000)
		if (Date.now() - typed < 3000) return
		typed = Date.now()
		w.send({ t: 'typing', on: true })
	}

	function rest() {
		clearTimeout(resting)
		if (typed) w.send({ t: 'typing' })
		typed = 0
	}

	function send(text: string): boolean {
		text = text.trim()
		if (!agreed || !text || (kept.get().q || []).length > 20) return false
		const cid = random()
		own(cid, text)
		kept.set({ q: [...(kept.get().q || []), { cid, text }] })
		w.open()
		w.send({ t: 'msg', cid, text })
		typed = 0
		clearTimeout(resting)
		v.alert('')
		v.follow(true)
		return true
	}

	function own(cid: string, text: string) {
		const m = message({ t: 'msg', from: 'visitor', text }, doing)
		m.element.classList.add('sending')
		messages.set(cid, m)
		v.add(m.element)
	}

	// flush sends again what was not acknowledged. The daemon knows it by its cid.
	function flush() {
		for (const q of kept.get().q || []) w.send({ t: 'msg', ...q })
	}

	// stand says who answers, where that is of note: words.operator, words.agent, or
	// words.waiting.
	const stand = (f: Frame) => v.banner(words[f.state || f.to!] || '')

	const drop = (cid: string) => kept.set({ q: (kept.get().q || []).filter((q) => q.cid !== cid) })

	// arrived gives a message its place in the conversation; what has none yet
	// stays last.
	function arrived(m: Message, f: Frame) {
		if (f.id) messages.set(f.id, m)
		if (!f.seq) return
		since = Math.max(since, (m.seq = f.seq))
		m.element.dataset.seq = '' + f.seq
		m.element.classList.remove('sending', 'failed')
		let before = v.log.lastElementChild as HTMLElement | null
		while (before && (before === m.element || +(before.dataset.seq || 1e9) > f.seq)) before = before.previousElementSibling as HTMLElement
		if (!before) v.log.prepend(m.element)
		else if (before.nextSibling !== m.element) before.after(m.element)
	}

	function come(f: Frame) {
		newest = Math.max(newest, f.seq || 0)
		if (newest <= (kept.get().r || 0)) return
		emit('message', { id: f.id, text: f.text, from: f.from || 'agent' })
		if (v.isOpen() && !document.hidden) seen()
		else count(unread + 1)
	}

	const begin = (id: string) => {
		let m = messages.get(id)
		if (!m) {
			m = message({ t: 'start', from: 'agent', text: '' }, doing)
			messages.set(id, m)
			v.add(m.element)
		}
		// Read out once it is whole, not word by word.
		v.log.ariaBusy = 'true'
		v.typing('')
		return m
	}

	const handlers: Record<string, (f: Frame) => void> = {
		ready(f) {
			kept.set({ v: f.visitor })
			if ((f.conv || '') !== conversation && conversation) {
				kept.set({ s: 0 })
				reset()
			}
			conversation = f.conv || ''
			online = f.agent?.online !== false
			v.who(f.agent?.name || config.name, online ? words.online : words.away, f.agent?.avatar)
			if (f.limits) v.limit(f.limits.chars)
			stand(f)
			if (!kept.get().q?.length && !messages.size) greet()
			seen()
			emit('ready')
		},
		ack(f) {
			const m = messages.get(f.cid!)
			drop(f.cid!)
			if (!m) return
			arrived(m, f)
			m.state('')
			if (!online && !kept.get().e && !user?.email) {
				kept.set({ e: '-' }) // ask once
				v.email(f.seq!)
			}
		},
		msg(f) {
			let m = messages.get(f.id!) || (f.cid ? messages.get(f.cid) : undefined)
			if (f.cid) drop(f.cid)
			if (m) {
				arrived(m, f)
				return m.end(f)
			}
			m = message(f, doing)
			m.end(f)
			arrived(m, f)
			if (m.own) {
				if (f.cid) messages.set(f.cid, m)
			} else {
				v.typing('')
				come(f)
			}
		},
		start: (f) => void begin(f.id!),
		snapshot: (f) => begin(f.id!).grow(f.text || ''),
		delta(f) {
			const m = begin(f.id!)
			const n = f.n || 0
			// A gap is left for done to fill; what came twice is cut.
			if (n <= m.text.length) m.grow(m.text.slice(0, n) + f.text)
		},
		tool: (f) => v.typing(f.state === 'running' ? words.tool : ''),
		done(f) {
			const m = begin(f.id!)
			v.log.ariaBusy = 'false'
			if (!f.text && !m.text) {
				m.element.remove()
				messages.delete(f.id!)
				return
			}
			m.end(f)
			if (!f.seq) return
			arrived(m, f)
			come({ ...f, text: m.text })
		},
		typing: (f) => {
			clearTimeout(later)
			v.typing(f.on ? fill(words.typing, f.name || words.assistant) : '')
			if (f.on) later = setTimeout(() => v.typing(''), 10000)
		},
		read(f) {
			if (f.from !== 'operator') return
			const mine = [...new Set(messages.values())].filter((m) => m.own && m.seq)
			mine.forEach((m, i) => m.state(i === mine.length - 1 && m.seq <= (f.seq || 0) ? words.seen : ''))
		},
		handoff(f) {
			stand(f)
			emit('handoff', f.to)
		},
		error(f) {
			const m = f.cid && messages.get(f.cid)
			if (m && f.retryIn) setTimeout(flush, f.retryIn * 1000)
			else if (m) {
				drop(f.cid!)
				m.element.classList.add('failed')
				m.state(words.failed)
			}
			if (!f.fatal && f.message) v.alert(f.message)
			emit('error', { code: f.code, message: f.message })
		},
	}

	function got(f: Frame) {
		handlers[f.t]?.(f)
		v.follow()
	}

	function translate(c: Config) {
		speak(c.lang, c.words)
		v.color(c.colors)
		v.translate()
		v.who(c.name, online ? words.online : words.away)
	}

	document.addEventListener('visibilitychange', seen)
	v.theme(set.theme)
	v.show(!set.hidden)

	return {
		start() {
			translate(config)
			v.attach()
			kept.allow(agreed)
			if (agreed) reset()
			else v.gate()
			const { o, v: token } = kept.get()
			if (agreed && token) w.open()
			if (o && matchMedia('(min-width: 481px)').matches) toggle(true, false)
		},
		toggle: (open = !v.isOpen()) => void toggle(open, true),
		show: v.show,
		send,
		consent,
		identify(u: User) {
			user = { ...user, ...u }
			w.send({ t: 'identify', user })
		},
		update(s: Partial<Settings>) {
			Object.assign(set, s)
			v.theme(set.theme)
			if (s.user) this.identify(s.user)
		},
		page: () => void w.send({ t: 'page', page: here() }),
		translate,
		shutdown() {
			w.dispose()
			kept.clear()
			v.remove()
			document.removeEventListener('visibilitychange', seen)
		},
	}
}
