// The connection: a websocket, or server-sent events and POST where that does
// not come through. It delivers frames and says when it is ready; what is sent
// meanwhile is the sender's to keep.

export type Frame = {
	t: string
	visitor?: string
	conv?: string
	agent?: { name: string; avatar?: string; online: boolean }
	color?: string
	greeting?: string
	limits?: { chars: number; perMinute: number }
	cid?: string
	id?: string
	seq?: number
	from?: string
	name?: string
	text?: string
	cards?: { title: string; url: string; quote?: string }[]
	quick?: string[]
	n?: number
	on?: boolean
	state?: string
	stop?: string
	to?: string
	rated?: number
	code?: string
	message?: string
	retryIn?: number
	fatal?: boolean
}

type Out = { t: string; user?: object; [member: string]: unknown }
type Hello = { visitor?: string; since: number; lang: string; page: object; user?: object }

// Close codes: those after which the same would only happen again, and others.
const hopeless = /^44(0[013]|13)$/
const idle = 4408
const slowDown = 4429

export function wire(host: string, site: string, hello: () => Hello, got: (f: Frame) => void, state: (s: 'on' | 'off' | 'closed') => void) {
	const base = host + '/svc-api/widget/'
	const query = '?site=' + encodeURIComponent(site)
	let socket: WebSocket | undefined
	let events: EventSource | undefined
	let timer = 0
	let tries = 0
	let silent = 0 // connections in a row that never became ready
	let ready = false
	let wanted = false

	const take = (data: string) => {
		const f = JSON.parse(data) as Frame
		if (f.t === 'ready') {
			ready = true
			tries = silent = 0
		}
		got(f)
		if (f.t === 'ready') state('on')
		if (f.t === 'error' && f.fatal) lost(0, f.retryIn)
	}

	function connect() {
		clearTimeout(timer)
		if (!wanted || socket || events) return
		if (silent % 4 > 1) return void listen() // both in turn while neither works
		const s = (socket = new WebSocket(base.replace(/^http/, 'ws') + 'ws' + query, 'svc.chat.v1'))
		// Some proxies neither pass the handshake on nor refuse it.
		timer = setTimeout(() => s === socket && !ready && lost(0), 8000)
		s.onopen = () => s.send(JSON.stringify({ t: 'hello', ...hello() }))
		s.onmessage = (e) => s === socket && take(e.data)
		s.onclose = (e) => s === socket && lost(e.code)
	}

	// listen first says who the visitor is, which an EventSource cannot: the answer
	// has the token that the events are asked for with.
	async function listen() {
		const place = (events = { close() {} } as EventSource)
		if (hello().user) await post({ t: 'identify', user: hello().user })
		if (place !== events) return
		const { visitor, since, lang } = hello()
		const e = (events = new EventSource(`${base}events${query}&since=${since}&lang=${lang}&visitor=${visitor || ''}`))
		e.onmessage = (m) => e === events && take(m.data)
		e.onerror = () => e === events && lost(0)
	}

	// lost plans the next attempt. Many clients lose the same daemon at once:
	// the wait is random.
	function lost(code: number, after?: number) {
		drop()
		if (hopeless.test('' + code)) {
			wanted = false
			return state('closed')
		}
		state('off')
		if (code === idle) return // until wake
		const least = after || (code === slowDown ? 20 : 0)
		timer = setTimeout(connect, (least + Math.random() * Math.min(30, 2 ** ++tries * 0.5)) * 1000)
	}

	function drop() {
		const s = socket
		const e = events
		if (!ready) silent++
		ready = false
		socket = events = undefined
		clearTimeout(timer)
		s?.close()
		e?.close()
	}

	// post sends one frame after the other, so that they stay in their order.
	let last = Promise.resolve()
	const post = (frame: Out) => (last = last.then(() => exchange(frame)))

	async function exchange(frame: Out) {
		try {
			// A text is sent as text/plain: no preflight, which the same proxies like to
			// break.
			const answer = await fetch(base + 'frames' + query, {
				method: 'POST',
				credentials: 'omit',
				body: JSON.stringify({ ...hello(), frame }),
			})
			const { frames } = await answer.json()
			// Each POST is a visit of its own, and its ready is no news, but for the one
			// that answers identify: it has the token to go on with.
			for (const f of frames || []) if (frame.user || f.t !== 'ready') got(f)
		} catch {
			// What matters is sent again when the stream is back.
		}
	}

	const wake = () => {
		if (!wanted || socket || events || document.hidden) return
		tries = 0
		connect()
	}
	document.addEventListener('visibilitychange', wake)

	const close = () => {
		wanted = false
		drop()
	}

	return {
		open() {
			wanted = true
			connect()
		},
		// send reports whether the frame is on its way.
		send(frame: Out): boolean {
			if (!ready) return false
			if (socket) socket.send(JSON.stringify(frame))
			else if (frame.user) {
				// Events are those of one visitor.
				drop()
				void listen()
			} else void post(frame)
			return true
		},
		close,
		dispose() {
			close()
			document.removeEventListener('visibilitychange', wake)
		},
	}
}

export type Wire = ReturnType<typeof wire>
