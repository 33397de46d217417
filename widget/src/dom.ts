// Elements without markup: nothing that comes over the wire is ever parsed as
// HTML, and no style attribute is written, so that strict policies hold.

type Child = Node | string | false | undefined

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
	const e = document.createElement(tag)
	for (const name in attributes) e.setAttribute(name, attributes[name])
	e.append(...(children.filter(Boolean) as (Node | string)[]))
	return e
}

// button is one that submits nothing.
export function button(className: string, label: string, click: () => void, ...children: Child[]): HTMLButtonElement {
	const b = h('button', { type: 'button', class: className, ...(label && { 'aria-label': label }) }, ...children)
	b.onclick = click
	return b
}

// icon draws a path of a 24 by 24 grid.
export function icon(path: string): SVGElement {
	const ns = 'http://www.w3.org/2000/svg'
	const svg = document.createElementNS(ns, 'svg')
	svg.setAttribute('viewBox', '0 0 24 24')
	svg.setAttribute('aria-hidden', 'true')
	const p = document.createElementNS(ns, 'path')
	p.setAttribute('d', path)
	svg.append(p)
	return svg
}

export const icons = {
	chat: 'M12 3.5c5 0 9 3.4 9 7.7s-4 7.7-9 7.7c-1 0-2-.1-2.9-.4L4.5 20.5l1-3.5C4 15.6 3 13.5 3 11.2c0-4.3 4-7.7 9-7.7z',
	close: 'M6.5 6.5l11 11m0-11l-11 11',
	send: 'M12 19V5.5m-6 5.5l6-6 6 6',
	up: 'M7 11v9H4v-9zm0 0l4-7.5c1.6 0 2.5 1 2.5 2.5l-.5 4H19a2 2 0 0 1 2 2.3l-1 6A2 2 0 0 1 18 20H7',
	book: 'M6 4h12v16H6zm3 5h6m-6 4h6',
}

// safe returns an address that may be followed, or nothing.
export function safe(address: string, base?: string): string | undefined {
	try {
		const { protocol, href } = new URL(address, base)
		if (/^https?:/.test(protocol)) return href
	} catch {
		// Not an address.
	}
}

export const link = (href: string, ...children: Child[]) => h('a', { href, target: '_blank', rel: 'noopener nofollow' }, ...children)
