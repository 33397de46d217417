// A program that uses the published types. It is compiled, never run.
import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import superjson from 'superjson';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter, Post, PostPatch } from './trpc';

const svc = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: '/svc-api/trpc', transformer: superjson, methodOverride: 'POST' })] });

const page = await svc.posts.list.query({ limit: 5, status: 'PUBLISHED' });
const posts: Post[] = page.data;
const created: Date = posts[0]!.createdAt;
const published: Date | null = posts[0]!.publishedAt;
await svc.posts.list.query();
await svc.team.brand.get.query();

const made = await svc.posts.create.mutate({ title: 'A title', content: '<p>Text</p>', tags: ['a'] });
if ('jobId' in made) console.log(made.jobId.length, made.state);
else console.log(made.slug, made.version + 1);

const patch: PostPatch = { id: 'post_1', description: null };
await svc.posts.update.mutate(patch);

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;
const input: Inputs['auth']['login'] = { email: 'a@b.example', password: 'x' };
const session: Outputs['auth']['login'] = await svc.auth.login.mutate(input);
const expires: Date = session.expiresAt;
await svc.auth.logout.mutate();
await svc.auth.sessions.query();
await svc.team.update.mutate({ name: 'Ours' });

const following = svc.jobs.watch.subscribe({ id: 'job_1' }, {
  onData(event) {
    const value = 'data' in event ? event.data : event;
    console.log(value.type, value.job?.createdAt.getTime(), value.text);
  },
  onError(err) {
    console.log(err.data?.problem?.errors?.[0]?.pointer, err.data?.retryAfter);
  },
});
following.unsubscribe();

try {
  await svc.posts.get.query({ id: 'post_1' });
} catch (err) {
  if (err instanceof TRPCClientError) console.log(err.message);
}
console.log(created, published, expires);

// @ts-expect-error a list has no such member
page.records;
// @ts-expect-error a title is text
await svc.posts.create.mutate({ title: 1 });
// @ts-expect-error a title is needed
await svc.posts.create.mutate({ content: 'x' });
// @ts-expect-error no such status
await svc.posts.list.query({ status: 'LOST' });
// @ts-expect-error an id is needed
await svc.posts.get.query();
// @ts-expect-error a sign-in needs credentials
await svc.auth.login.mutate();
// @ts-expect-error a change has to say what changes
await svc.team.update.mutate();
// @ts-expect-error the brand is written whole
await svc.team.brand.update.mutate();
// @ts-expect-error a sign-out takes nothing
await svc.auth.logout.mutate({ all: true });
// @ts-expect-error a filter has to be known
await svc.auth.sessions.query({ of: 'me' });
// @ts-expect-error a change is no query
await svc.posts.create.query({ title: 'x' });
// @ts-expect-error no such procedure
await svc.posts.explode.mutate();
// @ts-expect-error a time is a Date
const text: string = posts[0]!.createdAt;
// @ts-expect-error what may be null has to be looked at
published.getTime();
// @ts-expect-error the transformer is needed
createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: '/svc-api/trpc' })] });
// @ts-expect-error a subscription is no query
await svc.jobs.watch.query({ id: 'job_1' });
console.log(text);
