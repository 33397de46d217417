// The launcher and the panel: elements, focus and keys. What is said in it is
// the chat's.

import { button, h, icon, icons } from './dom'
import css from './launcher.css'
import { direction, fill, language, words } from './text'

declare const PANEL: string // the path of panel.css, as the bundler knows it

type Doing = {
	toggle(open: boolean): void
	send(text: string): boolean
	typing(): void
	email(address: string): void
	agree(): void
	fresh(): void
}

const small = matchMedia('(max-width: 480px)')

export function view(doing: Doing, origin: string) {
	const host = document.createElement('svc-chat')
	const root = host.attachShadow({ mode: 'open' })
	const sheet = new CSSStyleSheet()
	const colors = new CSSStyleSheet()
	sheet.replaceSync(css)
	root.adoptedStyleSheets = [colors, sheet]

	let styled: Promise<void> | undefined
	// dress loads the panel's style sheet, once.
	const dress = () =>
		(styled ||= fetch(origin + PANEL, { credentials: 'omit' })
			.then((answer) => answer.text())
			.then((text) => sheet.replaceSync(css + text))
			.catch(() => void (styled = undefined)))

	const badge = h('span', { class: 'badge', 'aria-hidden': 'true' })
	const launcher = button('launcher', '', () => doing.toggle(panel.hidden), icon(icons.chat), icon(icons.close), badge)
	const face = h('div', { class: 'face', 'aria-hidden': 'true' })
	const name = h('div', { class: 'name' })
	const status = h('div', { class: 'status' })
	const close = button('icon', '', () => doing.toggle(false), icon(icons.close))
	const anew = button('icon', '', () => (doing.fresh(), area.focus()), icon('M12 5v14m7-7H5'))
	const banner = h('div', { class: 'banner', role: 'status' })
	const log = h('div', { class: 'log', role: 'log', 'aria-live': 'polite', tabindex: '0' })
	const typing = h('div', { class: 'typing', role: 'status' })
	const alert = h('div', { class: 'alert', role: 'alert' })
	const area = h('textarea', { rows: '1', enterkeyhint: 'send' })
	const submit = h('button', { type: 'submit', class: 'send' }, icon(icons.send))
	const form = h('form', { class: 'composer' }, area, submit)
	const panel = h('section', { class: 'panel', id: 'panel', role: 'dialog', hidden: '' }, h('header', {}, face, h('div', { class: 'title' }, name, status), anew, close), banner, log, typing, alert, form)
	const base = h('div', { class: 'base' }, panel, launcher)
	root.append(base)

	let unread = 0
	let scrolling = 0
	let sticks = true
	let top = 0
	// Only who scrolls up leaves the end: more may have come since it was reached.
	log.onscroll = () => {
		sticks = log.scrollHeight - log.scrollTop - log.clientHeight < 60 || (sticks && log.scrollTop >= top)
		top = log.scrollTop
	}
	const label = () => {
		const open = !panel.hidden
		launcher.ariaLabel = (open ? words.close : words.open) + (unread ? ', ' + fill(words.unread, unread) : '')
		launcher.ariaExpanded = '' + open
		badge.textContent = unread > 9 ? '9+' : '' + unread
		badge.hidden = !unread
	}

	const grow = () => {
		area.style.height = 'auto'
		area.style.height = Math.min(area.scrollHeight, 120) + 'px'
	}
	const submitted = () => {
		const text = area.value.trim()
		if (!text || !doing.send(text)) return
		area.value = ''
		grow()
	}

	const modal = () => void (panel.ariaModal = small.matches ? 'true' : null)

	launcher.onpointerenter = launcher.onfocus = dress
	form.onsubmit = (e) => {
		e.preventDefault()
		submitted()
	}
	area.oninput = () => {
		grow()
		doing.typing()
	}
	area.onkeydown = (e) => {
		// While a word is being composed, Enter ends the word.
		if (e.key === 'Enter' && !e.shiftKey && !e.isComposing) {
			e.preventDefault()
			submitted()
		}
	}
	panel.onkeydown = (e) => {
		if (e.key === 'Escape') {
			e.stopPropagation()
			doing.toggle(false)
		} else if (e.key === 'Tab' && small.matches) {
			const all = [...panel.querySelectorAll<HTMLElement>('button,a,input,textarea,[tabindex]')].filter((x) => x.offsetParent)
			const [first, last] = [all[0], all[all.length - 1]]
			const at = root.activeElement
			if (at === (e.shiftKey ? first : last)) {
				e.preventDefault()
				;(e.shiftKey ? last : first).focus()
			}
		}
	}
	small.addEventListener('change', modal)

	const v = {
		log,
		attach: () => document.body.append(host),
		remove() {
			small.removeEventListener('change', modal)
			host.remove()
		},
		// translate puts the words of the language where they stand.
		translate() {
			base.dir = direction()
			base.lang = language
			panel.ariaLabel = words.title
			log.ariaLabel = words.log
			close.ariaLabel = words.close
			anew.ariaLabel = anew.title = words.anew
			area.ariaLabel = area.placeholder = words.write
			submit.ariaLabel = words.send
			label()
		},
		// color takes the site's colours: of surfaces, of text on them, of links by day and by night.
		color: (c: string[]) => colors.replaceSync(`:host{--c:${c[0]};--i:${c[1]};--l:${c[2]};--d:${c[3]}}`),
		theme(t?: string) {
			base.className = 'base ' + (t || '') + (panel.hidden ? '' : ' opened')
		},
		show: (yes: boolean) => void (host.hidden = !yes),
		who(title: string, line: string, avatar?: string) {
			name.textContent = title
			status.textContent = line
			face.textContent = title.trim().slice(0, 1).toUpperCase()
			if (avatar) {
				const img = h('img', { src: avatar, alt: '' })
				img.onerror = () => img.remove()
				face.append(img)
			}
		},
		status: (line: string) => void (status.textContent = line),
		limit: (chars: number) => void (area.maxLength = chars),
		banner: (text: string) => void (banner.textContent = text),
		typing: (text: string) => void (typing.textContent = text),
		alert: (text: string) => void (alert.textContent = text),
		unread(n: number) {
			unread = n
			label()
		},
		isOpen: () => !panel.hidden,
		async open(yes: boolean, focus: boolean) {
			if (yes) await dress()
			const inside = root.activeElement
			panel.hidden = !yes
			base.classList.toggle('opened', yes)
			modal()
			label()
			if (yes) v.follow(true)
			if (yes && focus) (form.hidden ? close : area).focus()
			if (!yes && inside) launcher.focus()
		},
		// follow keeps the end in sight, unless the reader has scrolled away.
		follow(always = sticks) {
			sticks = always
			scrolling ||= requestAnimationFrame(() => {
				scrolling = 0
				if (sticks) log.scrollTop = log.scrollHeight
			})
		},
		add(e: HTMLElement) {
			log.append(e)
		},
		clear: () => log.replaceChildren(),
		// email asks where to answer when nobody is there.
		email(seq: number) {
			const input = h('input', { type: 'email', required: '', autocomplete: 'email', placeholder: words.address, 'aria-label': words.address })
			const card = h('form', { class: 'ask', 'data-seq': '' + seq }, h('p', {}, words.email), h('div', {}, input, h('button', { type: 'submit', class: 'main' }, words.save)))
			card.onsubmit = (e) => {
				e.preventDefault()
				doing.email(input.value)
				card.replaceChildren(h('p', {}, fill(words.saved, input.value)))
				area.focus()
			}
			log.append(card)
			v.follow(true)
		},
		// gate stands in for the conversation until the visitor agrees.
		gate() {
			form.hidden = true
			const card = h('div', { class: 'ask' }, h('p', {}, words.ask), button('main', '', () => v.pass(true), words.agree))
			log.replaceChildren(card)
		},
		pass(tell?: boolean) {
			if (!form.hidden) return
			form.hidden = false
			log.replaceChildren()
			if (tell) {
				doing.agree()
				area.focus()
			}
		},
	}
	return v
}

export type View = ReturnType<typeof view>
