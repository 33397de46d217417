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

const marks: [string, 'code' | 'strong' | 'em'][] = [
	['`', 'code'],
	['**', 'strong'],
	['__', 'strong'],
	['*', 'em'],
	['_', 'em'],
]

// inline is one pass from left to right. depth bounds what is nested.
function inline(text: string, depth: number): DocumentFragment {
	const out = document.createDocumentFragment()
	let plain = ''
	const put = (node: Node) => {
		out.append(plain, node)
		plain = ''
	}
	const missing = new Set<string>() // marks that nothing ends from here on
	for (let i = 0; i < text.length; ) {
		const end = span(text, i, depth, missing, put) || address(text, i, depth, put)
		if (end) i = end
		else if (text[i] === '\n') {
			put(h('br'))
			i++
		} else {
			if (text[i] === '\\' && /[\\`*_[\]]/.test(text[i + 1])) i++
			plain += text[i++]
		}
	}
	out.append(plain)
	return out
}

function span(text: string, at: number, depth: number, missing: Set<string>, put: (n: Node) => void): number {
	if (depth > 4) return 0
	for (const [mark, tag] of marks) {
		const from = at + mark.length
		if (!text.startsWith(mark, at) || missing.has(mark) || /\s/.test(text[from] || ' ')) continue
		if (mark[0] === '_' && /\w/.test(text[at - 1] || ' ')) continue
		const to = text.indexOf(mark, from + 1)
		if (to < 0) {
			missing.add(mark)
			continue
		}
		const inner = text.slice(from, to)
		if (tag !== 'code' && /\s$/.test(inner)) continue
		put(h(tag, {}, tag === 'code' ? inner : inline(inner, depth + 1)))
		return to + mark.length
	}
	return 0
}

const bare = /https?:\/\/[^\s<>"'`)\]]{1,2000}/y

function address(text: string, at: number, depth: number, put: (n: Node) => void): number {
	if (text[at] === '[' && depth < 2) {
		const mid = text.slice(at, at + 500).indexOf('](')
		const to = mid < 0 ? -1 : text.slice(at + mid, at + mid + 2100).indexOf(')')
		if (to < 0) return 0
		const href = safe(text.slice(at + mid + 2, at + mid + to))
		const label = inline(text.slice(at + 1, at + mid), 2)
		put(href ? link(href, label) : label)
		return at + mid + to + 1
	}
	if (text[at] !== 'h' || depth >= 2) return 0
	bare.lastIndex = at
	const found = bare.exec(text)?.[0].replace(/[.,;:!?*_]+$/, '')
	const href = found && safe(found)
	if (!href) return 0
	put(link(href, found))
	return at + found.length
}
