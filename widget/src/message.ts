// One message in the log: a bubble that can grow while it is written.

import { button, h, icon, icons, link, safe } from './dom'
import { markdown } from './markdown'
import { words } from './text'
import type { Frame } from './wire'

export type Message = {
	element: HTMLElement
	seq: number
	own: boolean
	text: string
	grow(text: string): void
	end(f: Frame): void
	state(text: string): void
}

type Doing = { rate(id: string, v: number): void; quick(text: string): void; host: string }

export function message(f: Frame, doing: Doing): Message {
	const own = f.from === 'visitor'
	const body = h('div', { class: 'text', dir: 'auto' })
	const note = h('div', { class: 'note' })
	const who = own ? words.you : f.name || words.assistant
	const element = h('div', { class: 'msg ' + f.from }, h('span', { class: 'sr' }, who + ': '), body, note)
	let drawing = 0

	const draw = () => {
		drawing = 0
		// What visitors write is shown as they wrote it.
		body.replaceChildren(own ? m.text : markdown(m.text))
	}
	const m: Message = {
		element,
		own,
		seq: f.seq || 0,
		text: f.text || '',
		grow(text) {
			m.text = text
			element.classList.toggle('wait', !text)
			drawing ||= requestAnimationFrame(draw)
		},
		end(f) {
			cancelAnimationFrame(drawing)
			element.classList.remove('wait')
			m.seq = f.seq || m.seq
			if (f.text) m.text = f.text
			draw()
			element.querySelectorAll('.extra').forEach((e) => e.remove())
			const cards = (f.cards || []).map((c) => card(c, doing.host))
			if (cards.length) note.before(h('div', { class: 'extra cards', role: 'group', 'aria-label': words.sources }, ...cards))
			if (f.id && /^(agent|)$/.test(f.from || '')) note.before(thumbs(f.id, f.rated || 0, doing))
			if (f.quick?.length) note.before(quick(f.quick, doing))
			m.state(f.stop ? words.stopped : '')
		},
		state(text) {
			note.textContent = text
		},
	}
	m.grow(m.text)
	return m
}

function card(c: { title: string; url: string; quote?: string }, host: string) {
	const href = safe(c.url, host)
	return href && link(href, icon(icons.book), h('span', {}, h('b', {}, c.title), c.quote && h('q', {}, c.quote)))
}

function thumbs(id: string, rated: number, doing: Doing) {
	const show = () => row.childNodes.forEach((b, i) => (b as Element).setAttribute('aria-pressed', '' + (rated === 1 - 2 * i)))
	const make = (v: number, label: string) =>
		button('thumb', label, () => {
			rated = rated === v ? 0 : v
			show()
			doing.rate(id, rated)
		}, icon(icons.up))
	const row = h('div', { class: 'extra thumbs' }, make(1, words.helpful), make(-1, words.unhelpful))
	show()
	return row
}

function quick(texts: string[], doing: Doing) {
	const row = h('div', { class: 'extra quick' })
	for (const text of texts) {
		row.append(
			button('chip', '', () => {
				row.remove()
				doing.quick(text)
			}, text),
		)
	}
	return row
}
