// What is kept in the browser between pages: one record for each site, and
// nothing before consent where the site asks for it.

export type Waiting = { cid: string; text: string }

type Kept = {
	v?: string // token of the visitor
	c?: boolean // consent
	r?: number // seq up to which everything was seen
	s?: number // seq up to which nothing is shown: it was before the present conversation
	q?: Waiting[] // messages that are not acknowledged
	e?: string // e-mail address that was left
	o?: boolean // the panel is open
}

export function store(site: string) {
	const name = 'svc:' + site
	let allowed = false
	const read = (): Kept => {
		try {
			return JSON.parse(localStorage.getItem(name) || '{}')
		} catch {
			return {} // Blocked, or not ours: the chat lives as long as the page.
		}
	}
	let memory = read()
	return {
		get: (): Kept => memory,
		set(change: Partial<Kept>) {
			memory = { ...memory, ...change }
			if (!allowed) return
			try {
				// Another tab may have become another visitor.
				localStorage.setItem(name, JSON.stringify(memory))
			} catch {
				// As above.
			}
		},
		// token is what any tab has last.
		token: () => read().v || memory.v,
		allow(yes: boolean) {
			allowed = yes
		},
		clear() {
			memory = {}
			try {
				localStorage.removeItem(name)
			} catch {
				// As above.
			}
		},
	}
}

export type Store = ReturnType<typeof store>
