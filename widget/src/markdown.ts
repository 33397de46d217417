// The part of Markdown that answers use, as elements: paragraphs, lists, code,
// bold, italic and links. Anything else stays the text that it is. It looks at
// each character a bounded number of times, so that no text makes it slow, and
// can be run again on a text that grows.

import { h, link, safe } from './dom'

const item = /^\s{0,6}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/

export function markdown(text: string): DocumentFragment {
	const out = document.createDocumentFragment()
	const lines = text.split('\n')
	let paragraph: string[] = []
	let list: HTMLElement | undefined
	const flush = () => {
		if (paragraph.length) out.append(h('p', {}, inline(paragraph.join('\n'), 0)))
		paragraph = []
	}
	for (let i = 0; i < lines.length; i++) {
		const line = lines[i]
		if (line.startsWith('```')) {
			flush()
			list = undefined
			const code: string[] = []
			while (++i < lines.length && !lines[i].startsWith('```')) code.push(lines[i])
			out.append(h('pre', { tabindex: '0' }, h('code', {}, code.join('\n'))))
			continue
		}
		const found = item.exec(line)
		if (found) {
			flush()
			const tag = found[1] ? 'ol' : 'ul'
			if (list?.localName !== tag) {
				list = h(tag, found[1] ? { start: found[1] } : {})
				out.append(list)
			}
			list.append(h('li', {}, inline(found[2], 0)))
		} else if (!line.trim()) {
			flush()
			list = undefined
		} else if (list && /^\s/.test(line)) {
			list.lastChild!.appendChild(inline(' ' + line.trim(), 0))
		} else {
			list = undefined
			paragraph.push(line.replace(/^#{1,6} /, ''))
		}
	}
	flush()
	return out
}

// Each alternative ends at the first character that it cannot hold, and what
// may be long is bounded, so that the whole is linear.
const spans =
	/\\([\\`*_[\]])|`([^`\n]+)`|\*\*((?:[^*\n]|\*(?!\*))+)\*\*|\*([^*\s](?:[^*\n]{0,500}[^*\s])?)\*|\b_([^_\n]{1,500})_\b|\[([^[\]\n]{1,300})\]\(([^()\s]{1,2000})\)|(https?:\/\/[^\s<>"'`()\]]{1,2000}[^\s<>"'`()\].,;:!?*_])|\n/g

function inline(text: string, depth: number): DocumentFragment {
	const out = document.createDocumentFragment()
	let at = 0
	for (const m of depth < 4 ? text.matchAll(spans) : []) {
		const [all, escaped, code, strong, em, em2, label, target, bare] = m
		const href = safe(target || bare || '')
		const inner = (s: string) => inline(s, depth + 1)
		out.append(
			text.slice(at, m.index),
			escaped || (code ? h('code', {}, code) : strong ? h('strong', {}, inner(strong)) : em || em2 ? h('em', {}, inner(em || em2)) : href ? link(href, label ? inner(label) : bare) : all === '\n' ? h('br') : label || all),
		)
		at = m.index! + all.length
	}
	out.append(text.slice(at))
	return out
}
