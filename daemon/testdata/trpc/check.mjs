// Works with a running svcd as a dashboard does, through every link of the real
// @trpc/client. URL, LINK (a sign-in link's token) and KEY (a team key) come from
// the environment. It prints a line for each check; status 1 says that one failed.
import { createTRPCClient, httpBatchLink, httpBatchStreamLink, httpLink, httpSubscriptionLink, TRPCClientError } from '@trpc/client';
import { EventSource } from 'eventsource';
import superjson from 'superjson';

const base = process.env.URL, url = base + '/svc-api/trpc', transformer = superjson;
let passed = 0, failed = 0;
const check = (name, ok, got) => {
  ok ? passed++ : failed++;
  console.log(ok ? 'ok   ' : 'FAIL ', name, ok ? '' : JSON.stringify(got)?.slice(0, 500));
};
const refused = async (promise) => {
  try { return { value: await promise }; } catch (e) { return e instanceof TRPCClientError ? e : { foreign: String(e) }; }
};

// Every answer's status and cookie, as the links saw them.
const seen = [];
const noted = async (u, init) => {
  const r = await fetch(u, init);
  seen.push({ status: r.status, cookie: r.headers.get('set-cookie'), type: r.headers.get('content-type'), method: init.method ?? 'GET' });
  return r;
};

// The bare path: every call of a batch as one message.
const bare = async (u, init) => {
  const at = new URL(u), paths = decodeURIComponent(at.pathname.slice(new URL(url).pathname.length + 1)).split(',');
  const method = init.method === 'GET' ? 'query' : 'mutation';
  const inputs = JSON.parse((method === 'query' ? at.searchParams.get('input') : init.body) || '{}');
  const messages = paths.map((path, id) => ({ id, method, params: { path, input: inputs[id] } }));
  const r = await noted(url, { ...init, method: 'POST', headers: { ...init.headers, 'content-type': 'application/json' }, body: JSON.stringify(messages) });
  return new Response(JSON.stringify(await r.json()), { status: r.status, headers: { 'content-type': 'application/json' } });
};

const links = (headers) => ({
  http: httpLink({ url, transformer, headers, fetch: noted }),
  httpPost: httpLink({ url, transformer, headers, fetch: noted, methodOverride: 'POST' }),
  batch: httpBatchLink({ url, transformer, headers, fetch: noted }),
  batchPost: httpBatchLink({ url, transformer, headers, fetch: noted, methodOverride: 'POST' }),
  stream: httpBatchStreamLink({ url, transformer, headers, fetch: noted }),
  streamPost: httpBatchStreamLink({ url, transformer, headers, fetch: noted, methodOverride: 'POST', streamHeader: 'accept' }),
  bare: httpBatchLink({ url, transformer, headers, fetch: bare }),
});
const client = (link) => createTRPCClient({ links: [link] });

// Signing in sets the cookie over every link: a streamed batch's header too.
const anyone = links({});
const first = await client(anyone.stream).auth.login.mutate({ linkToken: process.env.LINK, newPassword: 'correct horse battery' });
check('a link signs in over a stream', first.token.startsWith('sess_') && first.expiresAt instanceof Date, first);
check('a stream sets the cookie', seen.at(-1).cookie?.startsWith('svc_session=' + first.token), seen.at(-1));
for (const name of ['http', 'batch', 'streamPost', 'bare']) {
  const s = await client(anyone[name]).auth.login.mutate({ email: first.user.email, password: 'correct horse battery' });
  check(name + ' signs in and sets the cookie', seen.at(-1).cookie?.startsWith('svc_session=' + s.token), seen.at(-1));
}
const cookie = 'svc_session=' + first.token;
const mine = links({ cookie }), bearer = links({ authorization: 'Bearer ' + first.token });

for (const [name, link] of Object.entries(mine)) {
  const c = client(link), title = 'By ' + name;
  const post = await c.posts.create.mutate({ title, content: '<p>text</p>', tags: ['a', 'b'] });
  check(name + ' creates', post.slug === 'by-' + name.toLowerCase() && post.createdAt instanceof Date && post.publishedAt === null, post);
  const got = await c.posts.get.query({ id: post.id });
  check(name + ' gets', got.content === '<p>text</p>' && got.createdAt.getTime() === post.createdAt.getTime(), got);
  const patched = await c.posts.update.mutate({ id: post.id, description: 'New', ifMatch: got.version });
  check(name + ' updates', patched.description === 'New' && patched.version === got.version + 1, patched);
  const stale = await refused(c.posts.update.mutate({ id: post.id, description: 'Old', ifMatch: got.version }));
  check(name + ' is told of a conflict', stale.data?.code === 'PRECONDITION_FAILED' && stale.data.problem?.code === 'version_conflict' && stale.data.path === 'posts.update', stale);
  const wrong = await refused(c.posts.create.mutate({ title: '', content: 5, nonsense: 1 }));
  check(name + ' is told of every field', wrong.data?.httpStatus === 422 && wrong.data.problem?.errors.length >= 2 && wrong.data.problem.requestId, wrong);
  const page = await c.posts.list.query({ limit: 1 });
  check(name + ' lists', page.data.length === 1 && page.data[0].id === post.id && page.data[0].updatedAt instanceof Date, page);
  check(name + ' lists without input', (await c.posts.list.query()).data.length > 0);
  check(name + ' publishes', (await c.posts.publish.mutate({ id: post.id })).publishedAt instanceof Date);
  const absent = await refused(c.posts.get.query({ id: 'post_01kzzzzzzzzzzzzzzzzzzzzzzz' }));
  check(name + ' is told what is not there', absent.data?.code === 'NOT_FOUND' && absent.shape?.code === -32004 && absent.data.problem?.code === 'not_found', absent);
  const none = await refused(c.no.such.query());
  check(name + ' is told of no such procedure', none.data?.code === 'NOT_FOUND', none);
  await c.posts.archive.mutate({ id: post.id });
  check(name + ' deletes', (await c.posts.delete.mutate({ id: post.id })).id === post.id);
}

for (const name of ['batch', 'batchPost', 'bare', 'stream']) {
  const c = client(mine[name]);
  const [team, lost, models] = await Promise.all([refused(c.team.get.query()), refused(c.posts.get.query({ id: 'post_no' })), refused(c.models.list.query())]);
  check(name + ' answers each call', team.value?.name && lost.data?.code === 'NOT_FOUND' && models.value?.data.length === 4, [team, lost, models]);
  check(name + ' answers them in one', seen.at(-1).status === (name === 'stream' ? 200 : 207), seen.at(-1));
}
const together = client(mine.batch);
const many = await Promise.all(Array.from({ length: 21 }, () => refused(together.team.get.query())));
check('a batch of 21 is refused', many.every((m) => m.data?.code === 'BAD_REQUEST'), many[0]);

check('a bearer token works', (await client(bearer.http).auth.session.query()).current === true);
for (const [name, link] of Object.entries(links({ authorization: 'Bearer ' + process.env.KEY }))) {
  const e = await refused(client(link).posts.list.query());
  check(name + ' refuses a team key', e.data?.code === 'UNAUTHORIZED' && e.data.problem?.code === 'session_required', e);
}
const foreign = await refused(client(links({ cookie, 'sec-fetch-site': 'cross-site' }).http).posts.create.mutate({ title: 'x', content: 'x' }));
check('another site is refused', foreign.data?.code === 'FORBIDDEN' && foreign.data.problem?.code === 'csrf_failed', foreign);

// Subscriptions.
const withHeaders = (headers) => class extends EventSource {
  constructor(u, init) { super(u, { ...init, fetch: (to, i) => fetch(to, { ...i, headers: { ...i.headers, ...headers } }) }); }
};
const live = (headers) => client(httpSubscriptionLink({ url, transformer, EventSource: withHeaders(headers) }));
const follow = (headers, input) => new Promise((resolve) => {
  const events = [];
  const s = live(headers).jobs.watch.subscribe(input, {
    onData: (e) => events.push(e), onError: (error) => resolve({ events, error }), onComplete: () => resolve({ events }),
  });
  setTimeout(() => { s.unsubscribe(); resolve({ events, timeout: true }); }, 10_000).unref();
});
const job = await client(mine.http).posts.create.mutate({ title: 'Why Go', generateContent: true });
const whole = await follow({ cookie }, { id: job.jobId });
const states = whole.events.filter((e) => e.id).map((e) => e.data.job);
check('a job is followed to its end', !whole.timeout && !whole.error && states.at(-1)?.state === 'completed' && states.at(-1).completedAt instanceof Date, whole);
const ids = whole.events.filter((e) => e.id).map((e) => Number(e.id));
check('its versions rise', ids.every((id, i) => i === 0 || id > ids[i - 1]), ids);
const rest = await follow({ authorization: 'Bearer ' + first.token }, { id: job.jobId, lastEventId: String(ids.at(-1) - 1) });
check('it resumes after an id', rest.events.length === 1 && Number(rest.events[0].id) === ids.at(-1), rest);
const over = await follow({ cookie }, { id: job.jobId, lastEventId: String(ids.at(-1)) });
check('it resumes after the last', over.events.length === 0 && !over.error && !over.timeout, over);
for (const [why, headers, input, code] of [
  ['without a session', {}, { id: job.jobId }, 'UNAUTHORIZED'],
  ['of no job', { cookie }, { id: 'job_no' }, 'NOT_FOUND'],
  ['with a wrong input', { cookie }, { id: 5 }, 'UNPROCESSABLE_CONTENT'],
]) {
  const { error } = await follow(headers, input);
  check('following ' + why + ' is refused', error?.data?.code === code, error);
}

await client(mine.stream).auth.logout.mutate();
check('a stream takes the cookie back', /svc_session=;/.test(seen.at(-1).cookie ?? ''), seen.at(-1));
check('the session is over', (await refused(client(mine.http).auth.session.query())).data?.code === 'UNAUTHORIZED');

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
