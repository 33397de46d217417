// The procedures of svc at /svc-api/trpc, for @trpc/client version 11 with superjson.
//
//   import type { AppRouter } from './trpc';
//   const svc = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: '/svc-api/trpc', transformer: superjson, methodOverride: 'POST' })] });

import type { TRPCBuiltRouter, TRPCQueryProcedure, TRPCMutationProcedure, TRPCSubscriptionProcedure } from '@trpc/server';

export interface Actor {
  type: 'key' | 'user' | 'agent' | 'automation' | 'system';
  id: string;
}
export interface Agent {
  id: string;
  /** One more with each change; the ETag. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
  name: string;
  avatarUrl?: string | undefined;
  personality?: string | undefined;
  instructions?: string | undefined;
  model: string;
  respondToChats: boolean;
  /** At most one agent of a team is. */
  active: boolean;
  tools: AgentTools;
  cannedResponseIds: string[];
  guardrails: string[];
  /** What a visitor reads when a person takes over. */
  handoffMessage: string;
  limits: AgentLimits;
}
export interface AgentActivated {
  agent: Agent;
  /** The agent that was active before. */
  deactivated: AgentTag | null;
}
export interface AgentAnswer {
  text: string;
  html: string;
  citations: Citation[];
  toolCalls: ToolCall[];
  /** Set when it would hand over to a person. */
  handoffReason?: string | undefined;
  /** Set when nothing answers the question and the visitor was asked to put it in other words. */
  unanswered?: boolean | undefined;
  usedCannedResponseId?: string | undefined;
  /** Set when the text was cut at its limit. */
  stop?: 'limit' | undefined;
  /** Empty when no model was asked. */
  provider: string;
  model: string;
  usage: Usage;
  durationMs: number;
}
export interface AgentCreate {
  name: string;
  avatarUrl?: string | undefined;
  personality?: string | undefined;
  instructions?: string | undefined;
  /** One of the four models; the service chooses when absent. */
  model?: string | undefined;
  /** On when absent. */
  respondToChats?: boolean | undefined;
  tools?: AgentTools | undefined;
  cannedResponseIds?: string[] | undefined;
  /** Sentences that the agent must hold to. */
  guardrails?: string[] | undefined;
  handoffMessage?: string | undefined;
  limits?: AgentLimits | undefined;
}
export interface AgentLimits {
  /** Tool calls for one answer; 4 by default. */
  maxToolSteps?: number | undefined;
  /** Tokens per UTC day; 0 means no limit. */
  dailyTokens?: number | undefined;
  /** 4000 by default. */
  maxReplyChars?: number | undefined;
}
export interface AgentLink {
  id: string;
  cannedResponseIds: string[];
}
export interface AgentList {
  data: AgentSummary[];
}
export interface AgentPatch {
  /** Id of the object. */
  id: string;
  /** Refuse with version_conflict unless it has this version. */
  ifMatch?: number | undefined;
  name?: string | null | undefined;
  avatarUrl?: string | null | undefined;
  personality?: string | null | undefined;
  instructions?: string | null | undefined;
  model?: string | null | undefined;
  respondToChats?: boolean | null | undefined;
  /** Replaces all three toggles. */
  tools?: AgentTools | null | undefined;
  cannedResponseIds?: string[] | null | undefined;
  guardrails?: string[] | null | undefined;
  handoffMessage?: string | null | undefined;
  limits?: AgentLimits | null | undefined;
}
export interface AgentPreview {
  id: string;
  /** A visitor's message; its articles are searched and shown. */
  message?: string | undefined;
}
export interface AgentSetChats {
  id: string;
  respondToChats: boolean;
}
export interface AgentSetTools {
  id: string;
  create_post?: boolean | undefined;
  generate_post_image?: boolean | undefined;
  create_helpdesk_article?: boolean | undefined;
}
export interface AgentStats {
  answers: number;
  handoffs: number;
  conversations: number;
  usage: Usage;
  tokensToday: number;
  ratedGood: number;
  ratedBad: number;
}
export interface AgentSummary {
  id: string;
  name: string;
  active: boolean;
  model: string;
  /** The tools that are switched on. */
  tools: string[];
}
export interface AgentTag {
  id: string;
  name: string;
}
export interface AgentTestChat {
  id: string;
  /** The conversation so far; the last is the visitor's. */
  messages: TestTurn[];
}
export interface AgentTools {
  create_post?: boolean | undefined;
  generate_post_image?: boolean | undefined;
  create_helpdesk_article?: boolean | undefined;
}
export interface AgentUnlink {
  id: string;
  cannedResponseId: string;
}
export interface Article {
  id: string;
  title: string;
  /** Unique per team. */
  slug: string;
  /** HTML as it was sent; sanitised where it could run something in a browser, unless include=source. Lists leave it out unless include=content. */
  content?: string | undefined;
  excerpt: string;
  status: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED';
  categoryId?: string | undefined;
  tags: string[];
  /** BCP 47 language tag. */
  locale?: string | undefined;
  publishedAt: Date | null;
  /** The time of publication that its author gave; a draft takes it when it is published. */
  date?: Date | undefined;
  /** Paths at which it was on another site: on the public pages they lead to it (301). */
  aliases?: string[] | undefined;
  helpful: Helpful;
  provenance: Provenance;
  metadata?: Record<string, string> | undefined;
  /** One more with each change; the ETag. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
}
export interface ArticleCreate {
  title: string;
  /** HTML, at most 1 MiB. */
  content: string;
  /** Derived from the content when absent. */
  excerpt?: string | undefined;
  /** Derived from the title when absent. */
  slug?: string | undefined;
  status?: 'DRAFT' | 'PUBLISHED' | undefined;
  categoryId?: string | undefined;
  tags?: string[] | undefined;
  locale?: string | undefined;
  /** Time of publication to show in place of the present, in the past. */
  publishedAt?: Date | undefined;
  /** Paths of another site that lead here. */
  aliases?: string[] | undefined;
  metadata?: Record<string, string> | undefined;
}
export interface ArticleFeedback {
  /** Id of the article. */
  id: string;
  helpful: boolean;
}
export interface ArticlePatch {
  /** Id of the object. */
  id: string;
  /** Refuse with version_conflict unless it has this version. */
  ifMatch?: number | undefined;
  title?: string | null | undefined;
  content?: string | null | undefined;
  /** null derives it from the content. */
  excerpt?: string | null | undefined;
  slug?: string | null | undefined;
  status?: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED' | null | undefined;
  categoryId?: string | null | undefined;
  tags?: string[] | null | undefined;
  locale?: string | null | undefined;
  /** Time of publication to show, in the past. */
  publishedAt?: Date | null | undefined;
  /** Paths of another site that lead here. */
  aliases?: string[] | null | undefined;
  /** Merged into the metadata: null removes a key, or all of it. */
  metadata?: Record<string, string | null> | null | undefined;
}
export interface ArticleQuery {
  /** Most records on a page. */
  limit?: number | undefined;
  /** nextCursor of the page before. */
  cursor?: string | undefined;
  /** Order by creation time. */
  order?: 'asc' | 'desc' | undefined;
  /** Add the total of all pages. */
  total?: boolean | undefined;
  status?: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED' | undefined;
  categoryId?: string | undefined;
  tag?: string | undefined;
  /** Add the content to each article; source: as it was sent. */
  include?: 'content' | 'source' | undefined;
}
export interface ArticleRevision {
  articleId: string;
  /** The article's version that this was. */
  number: number;
  title: string;
  content?: string | undefined;
  actorId: string;
  createdAt: Date;
}
export interface AuditEntry {
  id: string;
  /** The operation, such as apiKeys.create. */
  action: string;
  actor: Actor;
  target?: string | undefined;
  detail?: Record<string, string> | undefined;
  requestId?: string | undefined;
  createdAt: Date;
}
export interface Author {
  id: string;
  name: string;
}
export interface Brand {
  description?: string | undefined;
  audience?: string | undefined;
  /** How the team writes. */
  voice?: string | undefined;
  /** Statements that may be used as they are. */
  facts?: string[] | undefined;
  logoUrl?: string | undefined;
}
export interface CannedCreate {
  shortcut: string;
  title: string;
  body: string;
}
export interface CannedHit {
  cannedResponse: CannedResponse;
  /** 0 to 1. */
  score: number;
}
export interface CannedMatch {
  message: string;
  /** Only those linked to this agent. */
  agentId?: string | undefined;
  limit?: number | undefined;
}
export interface CannedMatches {
  data: CannedHit[];
}
export interface CannedPatch {
  /** Id of the object. */
  id: string;
  /** Refuse with version_conflict unless it has this version. */
  ifMatch?: number | undefined;
  shortcut?: string | null | undefined;
  title?: string | null | undefined;
  body?: string | null | undefined;
}
export interface CannedQuery {
  /** Most records on a page. */
  limit?: number | undefined;
  /** nextCursor of the page before. */
  cursor?: string | undefined;
  /** Order by creation time. */
  order?: 'asc' | 'desc' | undefined;
  /** Add the total of all pages. */
  total?: boolean | undefined;
  /** Words in shortcut, title or body. */
  q?: string | undefined;
}
export interface CannedResponse {
  id: string;
  /** One more with each change; the ETag. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
  /** Unique per team. */
  shortcut: string;
  title: string;
  /** Markdown; {{ name }} are variables. */
  body: string;
  /** Names of the variables in the body. */
  variables: string[];
}
export interface Category {
  id: string;
  /** One more with each change; the ETag. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
  name: string;
  /** Unique per team. */
  slug: string;
  /** Ascending order on the help pages. */
  position: number;
}
export interface CategoryCreate {
  name: string;
  /** Derived from the name when absent. */
  slug?: string | undefined;
  position?: number | undefined;
}
export interface CategoryPatch {
  /** Id of the object. */
  id: string;
  /** Refuse with version_conflict unless it has this version. */
  ifMatch?: number | undefined;
  name?: string | null | undefined;
  slug?: string | null | undefined;
  position?: number | null | undefined;
}
export interface CategoryQuery {
  /** Most records on a page. */
  limit?: number | undefined;
  /** nextCursor of the page before. */
  cursor?: string | undefined;
  /** Order by position. */
  order?: 'asc' | 'desc' | undefined;
}
export interface Change {
  /** Type of the event, such as post.published; * when anything may have changed. */
  type: string;
  /** Id of what changed. */
  id?: string | undefined;
  /** That of the event. */
  sequence?: number | undefined;
}
export interface ChangeFeed {
  /** Takes no effect: each connection begins with *. */
  lastEventId?: string | undefined;
}
export interface Citation {
  articleId: string;
  title: string;
  url: string;
  /** Word for word from the article; without one, the article is offered, not quoted. */
  quote?: string | undefined;
  /** Id of the section's heading on the page, which the address names. */
  anchor?: string | undefined;
  /** Of the section. */
  heading?: string | undefined;
}
export interface Conversation {
  id: string;
  state: 'bot' | 'open' | 'snoozed' | 'resolved';
  siteId: string;
  visitor: Visitor;
  personId?: string | undefined;
  assigneeId?: string | undefined;
  agentId?: string | undefined;
  /** Messages of the visitor since a member last looked. */
  unread: number;
  tags: string[];
  /** 1 good, -1 bad, 0 none. */
  rating: '-1' | '0' | '1';
  handoffReason?: string | undefined;
  lastMessage: MessageSummary | null;
  /** seq of the latest message. */
  lastSeq: number;
  /** Up to where the visitor has read. */
  readSeq: number;
  snoozedUntil: Date | null;
  startedAt: Date;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}
export interface ConversationAssign {
  id: string;
  /** A member's id, me, or empty for none. */
  assigneeId?: string | undefined;
}
export interface ConversationDetail {
  id: string;
  state: 'bot' | 'open' | 'snoozed' | 'resolved';
  siteId: string;
  visitor: Visitor;
  personId?: string | undefined;
  assigneeId?: string | undefined;
  agentId?: string | undefined;
  /** Messages of the visitor since a member last looked. */
  unread: number;
  tags: string[];
  /** 1 good, -1 bad, 0 none. */
  rating: '-1' | '0' | '1';
  handoffReason?: string | undefined;
  lastMessage: MessageSummary | null;
  /** seq of the latest message. */
  lastSeq: number;
  /** Up to where the visitor has read. */
  readSeq: number;
  snoozedUntil: Date | null;
  startedAt: Date;
  version: number;
  createdAt: Date;
  updatedAt: Date;
  messages: Message[];
}
export interface ConversationEvent {
  type: 'conversation' | 'deleted' | 'message' | 'start' | 'delta' | 'tool' | 'cancel' | 'typing' | 'presence';
  conversation?: Conversation | undefined;
  message?: Message | undefined;
  /** Of start, delta, tool and cancel. */
  messageId?: string | undefined;
  /** Of delta. */
  text?: string | undefined;
  tool?: ToolCall | undefined;
  /** Who types: visitor, agent or user. */
  from?: string | undefined;
  /** Of typing and presence. */
  on?: boolean | undefined;
}
export interface ConversationLink {
  id: string;
  personId?: string | undefined;
}
export interface ConversationNote {
  id: string;
  text: string;
}
export interface ConversationQuery {
  /** Most records on a page. */
  limit?: number | undefined;
  /** nextCursor of the page before. */
  cursor?: string | undefined;
  /** Order by creation time. */
  order?: 'asc' | 'desc' | undefined;
  /** Add the total of all pages. */
  total?: boolean | undefined;
  state?: 'bot' | 'open' | 'snoozed' | 'resolved' | undefined;
  /** A member's id, or me. */
  assigneeId?: string | undefined;
  unread?: boolean | undefined;
  personId?: string | undefined;
  tag?: string | undefined;
  /** Words of the visitor's name or address, a tag or the latest message. */
  q?: string | undefined;
}
export interface ConversationRef {
  /** Id of the conversation. */
  id: string;
}
export interface ConversationSetState {
  id: string;
  state: 'open' | 'snoozed' | 'resolved';
  /** For snoozed. */
  until?: Date | undefined;
}
export interface ConversationTag {
  id: string;
  add?: string[] | undefined;
  remove?: string[] | undefined;
}
export interface ConversationTyping {
  id: string;
  on: boolean;
}
export interface ConversationWatch {
  id: string;
  since?: number | undefined;
  lastEventId?: string | undefined;
}
export interface Deleted {
  id: string;
  deleted: boolean;
}
export interface Event {
  id: string;
  /** Such as post.published; the event types are documented with their schemas. */
  type: string;
  category: 'content' | 'audience' | 'commerce' | 'operator';
  timestamp: Date;
  apiVersion: string;
  teamId: string;
  actor: Actor;
  /** The person whom the object is about. */
  personId?: string | undefined;
  /** Counts the events of the team: each is one more than the one before. */
  sequence: number;
  data: EventData;
}
export interface EventData {
  object: unknown;
  previous?: unknown | undefined;
}
export interface EventQuery {
  /** Most records on a page. */
  limit?: number | undefined;
  /** nextCursor of the page before. */
  cursor?: string | undefined;
  /** Order by creation time. */
  order?: 'asc' | 'desc' | undefined;
  /** Add the total of all pages. */
  total?: boolean | undefined;
  /** A type, order.*, a category as @commerce, or *. */
  type?: string | undefined;
  /** Events about this person only. */
  personId?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}
export interface EventRef {
  id: string;
}
export interface EventType {
  type: string;
  category: string;
  description: string;
  /** JSON Schema of data.object. */
  schema: unknown;
}
export interface EventTypeList {
  data: EventType[];
}
export interface FieldError {
  /** JSON pointer (RFC 6901) into the body, or the parameter's name. */
  pointer: string;
  /** required, type, too_short, too_long, too_small, too_large, too_many, enum, format, pattern, unknown_field or a code of the operation. */
  code: string;
  message: string;
}
export interface FoundSection {
  /** Id of its heading on the page; empty before the first heading. */
  anchor: string;
  heading: string;
  /** The headings above it and its own, outermost first. */
  path: string[];
  /** Of the page, with the anchor. */
  url: string;
  /** At most 200 characters of plain text around the words that were searched for. */
  snippet: string;
  /** Where these words are in the snippet: start and end of each, in UTF-16 units. */
  marks: number[][];
  /** The passage that fits best, word for word. */
  quote: string;
}
export interface Gap {
  id: string;
  /** The latest wording. */
  question: string;
  /** Up to ten wordings. */
  questions: string[];
  count: number;
  state: 'open' | 'drafted' | 'dismissed';
  /** The draft that was made of it. */
  articleId?: string | undefined;
  createdAt: Date;
  updatedAt: Date;
  version: number;
}
export interface GapQuery {
  /** Most records on a page. */
  limit?: number | undefined;
  /** nextCursor of the page before. */
  cursor?: string | undefined;
  /** Order by creation time. */
  order?: 'asc' | 'desc' | undefined;
  /** Add the total of all pages. */
  total?: boolean | undefined;
  state?: 'open' | 'drafted' | 'dismissed' | undefined;
}
export interface GapRef {
  /** Id of the gap. */
  id: string;
}
export interface Generation {
  jobId: string;
  state: string;
}
export interface HelpHit {
  articleId: string;
  title: string;
  slug: string;
  /** Of the public page. */
  url: string;
  excerpt: string;
  /** The passage that fits best, word for word. */
  quote?: string | undefined;
  /** Comparable within one answer. */
  score: number;
  /** Share of the question that the text has, rarer words counting more. */
  covered: number;
  /** Its best sections, at most two. */
  sections: FoundSection[];
}
export interface HelpHits {
  data: HelpHit[];
}
export interface HelpSearch {
  q: string;
  limit?: number | undefined;
  status?: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED' | undefined;
  /** Only of this language, as de. */
  locale?: string | undefined;
}
export interface Helpful {
  yes: number;
  no: number;
}
export interface Image {
  url: string;
  alt?: string | undefined;
  width?: number | undefined;
  height?: number | undefined;
  /** uploaded, external, openai or offline. */
  source?: string | undefined;
}
export interface InboxWatch {
  lastEventId?: string | undefined;
}
export interface Job {
  id: string;
  postId: string;
  /** Title that the post had when the job was asked for. */
  title?: string | undefined;
  state: 'queued' | 'running' | 'completed' | 'failed' | 'canceled';
  /** 0 to 100. */
  progress: number;
  steps: JobStep[];
  model: string;
  /** openai, anthropic, compatible or offline. */
  provider: string;
  attempt: number;
  usage: Usage;
  error: JobError | null;
  warnings: string[];
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
  updatedAt: Date;
  version: number;
}
export interface JobError {
  code: string;
  message: string;
  retryable: boolean;
}
export interface JobEvent {
  type: string;
  job?: Job | undefined;
  step?: string | undefined;
  text?: string | undefined;
}
export interface JobFeed {
  /** The last id seen: what has not changed since is not sent again, but for the jobs that are not done. */
  lastEventId?: string | undefined;
}
export interface JobQuery {
  /** Most records on a page. */
  limit?: number | undefined;
  /** nextCursor of the page before. */
  cursor?: string | undefined;
  /** Order by creation time. */
  order?: 'asc' | 'desc' | undefined;
  /** Add the total of all pages. */
  total?: boolean | undefined;
  state?: 'queued' | 'running' | 'completed' | 'failed' | 'canceled' | undefined;
  postId?: string | undefined;
}
export interface JobRef {
  /** Id of the job. */
  id: string;
  /** Seconds to wait for the job to be done before answering. */
  wait?: number | undefined;
}
export interface JobStarted {
  jobId: string;
  /** The same as jobId. */
  id: string;
  postId: string;
  state: string;
}
export interface JobStep {
  name: 'content' | 'description' | 'tags' | 'image';
  state: 'queued' | 'running' | 'completed' | 'failed' | 'canceled' | 'skipped';
  startedAt: Date | null;
  finishedAt: Date | null;
  warning?: string | undefined;
  error?: string | undefined;
}
export interface JobWatch {
  /** Id of the job. */
  id: string;
  /** The last id seen: what came before is not sent again. */
  lastEventId?: string | undefined;
}
export interface Key {
  id: string;
  name: string;
  /** svc_…, shown once. */
  secret?: string | undefined;
  scopes: string[];
  last4: string;
  state: 'active' | 'expired' | 'revoked';
  /** To the minute. */
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  version: number;
}
export interface KeyCreate {
  name: string;
  /** Scopes, *, or a preset: read-only, publisher, operator, full. */
  scopes?: string[] | undefined;
  expiresAt?: Date | undefined;
}
export interface KeyRef {
  id: string;
}
export interface KeyRoll {
  id: string;
  graceHours?: number | undefined;
}
export interface KeyUpdate {
  id: string;
  name?: string | null | undefined;
  scopes?: string[] | null | undefined;
  expiresAt?: Date | null | undefined;
}
export interface Login {
  email?: string | undefined;
  password?: string | undefined;
  linkToken?: string | undefined;
  newPassword?: string | undefined;
}
export interface Me {
  team: TeamRef;
  actor: Actor;
  /** The member, for a session. */
  user?: User | undefined;
  keyName?: string | undefined;
  scopes: string[];
  role?: string | undefined;
  expiresAt: Date | null;
  daemonVersion: string;
}
export interface Media {
  id: string;
  /** Public address. */
  url: string;
  name?: string | undefined;
  mime: string;
  /** Bytes. */
  size: number;
  width?: number | undefined;
  height?: number | undefined;
  alt?: string | undefined;
  /** uploaded, openai or offline. */
  source: string;
  createdAt: Date;
  updatedAt: Date;
  version: number;
}
export interface MediaQuery {
  /** Most records on a page. */
  limit?: number | undefined;
  /** nextCursor of the page before. */
  cursor?: string | undefined;
  /** Order by creation time. */
  order?: 'asc' | 'desc' | undefined;
  /** Add the total of all pages. */
  total?: boolean | undefined;
}
export interface MediaRef {
  id: string;
}
export interface MemberInvite {
  email: string;
  name?: string | undefined;
  role: 'admin' | 'editor' | 'operator' | 'viewer';
}
export interface MemberInvited {
  user: User;
  /** Single use, valid 72 hours, shown once. */
  link: string;
  expiresAt: Date;
}
export interface MemberRef {
  id: string;
}
export interface MemberRole {
  id: string;
  role: 'owner' | 'admin' | 'editor' | 'operator' | 'viewer';
}
export interface Message {
  id: string;
  conversationId: string;
  /** 1, 2, 3 … within the conversation. */
  seq: number;
  author: MessageAuthor;
  /** For members only; the visitor never sees it. */
  note?: boolean | undefined;
  /** A note that an AI client proposes as a reply; a person may send it. */
  suggested?: boolean | undefined;
  /** As it was written; Markdown of agents and members. */
  text: string;
  /** The text as safe HTML. */
  html?: string | undefined;
  citations: Citation[];
  usedCannedResponseId?: string | undefined;
  toolCalls: ToolCall[];
  rating: '-1' | '0' | '1';
  /** Why an answer ended early: canceled, error or limit. */
  stop?: string | undefined;
  provider?: string | undefined;
  model?: string | undefined;
  usage?: Usage | undefined;
  createdAt: Date;
}
export interface MessageAuthor {
  type: 'visitor' | 'agent' | 'user' | 'system';
  id: string;
  name: string;
}
export interface MessageList {
  data: Message[];
  hasMore: boolean;
}
export interface MessageQuery {
  /** Id of the conversation. */
  id: string;
  /** Messages after this seq. */
  since?: number | undefined;
  limit?: number | undefined;
}
export interface MessageRate {
  /** Id of the conversation. */
  id: string;
  messageId: string;
  rating: '-1' | '0' | '1';
}
export interface MessageSummary {
  seq: number;
  author: 'visitor' | 'agent' | 'user' | 'system';
  /** The first 140 characters. */
  text: string;
  at: Date;
}
export interface Model {
  id: string;
  name: string;
  /** The vendor that makes it. */
  provider: 'openai' | 'anthropic';
  state: 'active' | 'deprecated' | 'retired';
  contextTokens: number;
  outputTokens: number;
  /** Whether the daemon can reach it; otherwise the offline mode answers. */
  configured: boolean;
  servedBy: 'openai' | 'anthropic' | 'compatible' | 'offline';
  /** Name under which the server is asked for it; absent offline, and while the server has not said which models it has. */
  sentAs?: string | undefined;
  /** Server that is asked; absent offline. */
  address?: string | undefined;
  /** Outcome of the latest request since the daemon began; null before the first. */
  lastAnswer: ModelAnswer | null;
}
export interface ModelAnswer {
  at: Date;
  ok: boolean;
  /** HTTP status of the server; absent when it did not answer. */
  status?: number | undefined;
  /** By which the vendor finds the request. */
  requestId?: string | undefined;
  /** rate_limited, timeout, provider_error, invalid_request or auth. */
  problem?: string | undefined;
}
export interface ModelList {
  data: Model[];
}
export interface NavLink {
  label: string;
  /** An http, https or mailto address, or a path of the pages such as /help. */
  url: string;
}
export interface PageOfAgent {
  /** The records, newest first unless order=asc. */
  data: Agent[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfArticle {
  /** The records, newest first unless order=asc. */
  data: Article[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfArticleRevision {
  /** The records, newest first unless order=asc. */
  data: ArticleRevision[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfAuditEntry {
  /** The records, newest first unless order=asc. */
  data: AuditEntry[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfCannedResponse {
  /** The records, newest first unless order=asc. */
  data: CannedResponse[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfCategory {
  /** The records, newest first unless order=asc. */
  data: Category[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfConversation {
  /** The records, newest first unless order=asc. */
  data: Conversation[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfEvent {
  /** The records, newest first unless order=asc. */
  data: Event[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfGap {
  /** The records, newest first unless order=asc. */
  data: Gap[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfJob {
  /** The records, newest first unless order=asc. */
  data: Job[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfKey {
  /** The records, newest first unless order=asc. */
  data: Key[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfMedia {
  /** The records, newest first unless order=asc. */
  data: Media[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfPost {
  /** The records, newest first unless order=asc. */
  data: Post[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfRevision {
  /** The records, newest first unless order=asc. */
  data: Revision[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfSession {
  /** The records, newest first unless order=asc. */
  data: Session[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfSite {
  /** The records, newest first unless order=asc. */
  data: Site[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfTask {
  /** The records, newest first unless order=asc. */
  data: Task[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfTaskRun {
  /** The records, newest first unless order=asc. */
  data: TaskRun[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageOfUser {
  /** The records, newest first unless order=asc. */
  data: User[];
  /** Whether nextCursor leads to further records. A filtered page may be short and still have more. */
  hasMore: boolean;
  /** Pass as cursor to get the next page. */
  nextCursor?: string | undefined;
  /** How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000. */
  total?: number | undefined;
}
export interface PageQuery {
  /** Most records on a page. */
  limit?: number | undefined;
  /** nextCursor of the page before. */
  cursor?: string | undefined;
  /** Order by creation time. */
  order?: 'asc' | 'desc' | undefined;
  /** Add the total of all pages. */
  total?: boolean | undefined;
}
export interface PasswordChange {
  currentPassword: string;
  newPassword: string;
}
export interface Post {
  id: string;
  title: string;
  /** Unique per team. */
  slug: string;
  /** HTML as it was sent; sanitised where it could run something in a browser, unless include=source. Lists leave it out unless include=content. */
  content?: string | undefined;
  description: string;
  status: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED';
  tags: string[];
  /** Language model that wrote it. */
  model?: string | undefined;
  featuredImage: Image | null;
  author: Author | null;
  excerpt: string;
  wordCount: number;
  readingMinutes: number;
  /** BCP 47 language tag. */
  locale?: string | undefined;
  canonicalUrl?: string | undefined;
  /** When a draft publishes by itself. */
  publishAt: Date | null;
  /** When it was published, or the time in the past that its author gave; null while it is not public. */
  publishedAt: Date | null;
  /** Why a post whose status is PUBLISHED is not public yet: its body is being generated, its generation failed, it has none, or it has places marked [to complete]. It becomes public with a real body. */
  held?: 'generating' | 'failed' | 'empty' | 'unfinished' | undefined;
  /** The time of publication that its author gave: publishedAt of a post that is public, and of a draft once it is. */
  date?: Date | undefined;
  /** Paths at which it was on another site: on the public pages they lead to it (301). */
  aliases?: string[] | undefined;
  archivedAt: Date | null;
  generation: Generation | null;
  provenance: Provenance;
  metadata?: Record<string, string> | undefined;
  /** One more with each change; the ETag. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
}
export interface PostBatch {
  items: PostBatchItem[];
}
export interface PostBatchItem {
  op: 'create' | 'patch' | 'publish' | 'unpublish' | 'archive' | 'unarchive' | 'delete';
  /** The post; not for create. */
  id?: string | undefined;
  /** For create. */
  create?: PostCreate | undefined;
  /** For patch. */
  patch?: PostChanges | undefined;
}
export interface PostBatchOutcome {
  /** The HTTP status that the single operation would have had. */
  status: number;
  post?: Post | undefined;
  job?: JobStarted | undefined;
  error?: Problem | undefined;
}
export interface PostBatchResult {
  results: PostBatchOutcome[];
}
export interface PostChanges {
  title?: string | null | undefined;
  content?: string | null | undefined;
  description?: string | null | undefined;
  slug?: string | null | undefined;
  status?: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED' | null | undefined;
  tags?: string[] | null | undefined;
  featuredImage?: Image | null | undefined;
  /** Name to show as the author. */
  author?: string | null | undefined;
  locale?: string | null | undefined;
  canonicalUrl?: string | null | undefined;
  publishAt?: Date | null | undefined;
  /** Time of publication to show, in the past; null forgets it where the post is not public. Needs posts:publish. */
  publishedAt?: Date | null | undefined;
  /** Paths of another site that lead here. */
  aliases?: string[] | null | undefined;
  /** Merged into the metadata: null removes a key, or all of it. */
  metadata?: Record<string, string | null> | null | undefined;
}
export interface PostCreate {
  title: string;
  /** HTML, at most 1 MiB. Omit it to have the body generated. */
  content?: string | undefined;
  description?: string | undefined;
  /** Lower case letters, digits and hyphens. Derived from the title when absent. */
  slug?: string | undefined;
  status?: 'DRAFT' | 'PUBLISHED' | undefined;
  tags?: string[] | undefined;
  featuredImage?: Image | undefined;
  locale?: string | undefined;
  canonicalUrl?: string | undefined;
  /** Publish a draft at this time. */
  publishAt?: Date | undefined;
  /** Time of publication to show in place of the present, in the past; a draft takes it when it is published. Needs posts:publish. */
  publishedAt?: Date | undefined;
  /** Name to show as the author. */
  author?: string | undefined;
  /** Paths of another site that lead here, such as /2019/hello.html. */
  aliases?: string[] | undefined;
  metadata?: Record<string, string> | undefined;
  generateContent?: boolean | undefined;
  generateDescription?: boolean | undefined;
  generateTags?: boolean | undefined;
  generateImage?: boolean | undefined;
  /** Language model that generates, such as gpt-6-luna. Without one the service chooses; an unknown one is refused with a list of all. */
  model?: string | undefined;
  /** What the generated body should say. */
  prompt?: string | undefined;
  audience?: string | undefined;
  tone?: string | undefined;
  length?: 'short' | 'medium' | 'long' | undefined;
  /** Ids of posts to draw from. */
  sources?: string[] | undefined;
}
export interface PostGenerate {
  title: string;
  tags?: string[] | undefined;
  locale?: string | undefined;
  generateContent?: boolean | undefined;
  generateDescription?: boolean | undefined;
  generateTags?: boolean | undefined;
  generateImage?: boolean | undefined;
  /** Without one the service chooses; an unknown one is refused with a list of all. */
  model?: string | undefined;
  /** What the generated body should say. */
  prompt?: string | undefined;
  audience?: string | undefined;
  tone?: string | undefined;
  length?: 'short' | 'medium' | 'long' | undefined;
  /** Ids of posts to draw from. */
  sources?: string[] | undefined;
}
export interface PostHit {
  postId: string;
  publishedAt?: Date | undefined;
  title: string;
  slug: string;
  /** Of the public page. */
  url: string;
  excerpt: string;
  /** The passage that fits best, word for word. */
  quote?: string | undefined;
  /** Comparable within one answer. */
  score: number;
  /** Share of the question that the text has, rarer words counting more. */
  covered: number;
  /** Its best sections, at most two. */
  sections: FoundSection[];
}
export interface PostHits {
  data: PostHit[];
}
export interface PostImage {
  /** Id of the post. */
  id: string;
  prompt?: string | undefined;
}
export interface PostPatch {
  /** Id of the object. */
  id: string;
  /** Refuse with version_conflict unless it has this version. */
  ifMatch?: number | undefined;
  title?: string | null | undefined;
  content?: string | null | undefined;
  description?: string | null | undefined;
  slug?: string | null | undefined;
  status?: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED' | null | undefined;
  tags?: string[] | null | undefined;
  featuredImage?: Image | null | undefined;
  /** Name to show as the author. */
  author?: string | null | undefined;
  locale?: string | null | undefined;
  canonicalUrl?: string | null | undefined;
  publishAt?: Date | null | undefined;
  /** Time of publication to show, in the past; null forgets it where the post is not public. Needs posts:publish. */
  publishedAt?: Date | null | undefined;
  /** Paths of another site that lead here. */
  aliases?: string[] | null | undefined;
  /** Merged into the metadata: null removes a key, or all of it. */
  metadata?: Record<string, string | null> | null | undefined;
}
export interface PostQuery {
  /** Most records on a page. */
  limit?: number | undefined;
  /** nextCursor of the page before. */
  cursor?: string | undefined;
  /** Order by creation time. */
  order?: 'asc' | 'desc' | undefined;
  /** Add the total of all pages. */
  total?: boolean | undefined;
  status?: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED' | undefined;
  tag?: string | undefined;
  model?: string | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  /** Words to search for: the best 200 posts, best first. */
  q?: string | undefined;
  /** Add the content to each post; source: as it was sent. */
  include?: 'content' | 'source' | undefined;
}
export interface PostSearch {
  q: string;
  limit?: number | undefined;
  status?: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED' | undefined;
  /** Only of this language, as de. */
  locale?: string | undefined;
}
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail?: string | undefined;
  instance?: string | undefined;
  code: string;
  requestId?: string | undefined;
  retryable: boolean;
  errors?: FieldError[] | undefined;
  requiredScope?: string | undefined;
  suggestedSlug?: string | undefined;
  existingId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  allowed?: string[] | undefined;
}
export interface PromptLayer {
  /** builtin, personality, instructions, guardrails, canned, brand or context. */
  name: string;
  text: string;
}
export interface PromptPreview {
  /** Built-in behaviour, then personality and instructions, then context. */
  layers: PromptLayer[];
  /** The layers as the model gets them. */
  prompt: string;
}
export interface Provenance {
  /** api, mcp, agent, dashboard or cli. */
  source: string;
  actorId: string;
  model?: string | undefined;
  jobId?: string | undefined;
  /** Made without a language model. */
  offline?: boolean | undefined;
}
export interface PublicSite {
  /** Address of the pages. */
  url: string;
  /** Name on the pages; the team's where it is empty. */
  title: string;
  /** A sentence below the title; the brand's description where it is empty. */
  tagline: string;
  /** The brand's logo where it is empty. */
  logoUrl: string;
  /** Icon of browser tabs. */
  iconUrl: string;
  /** #rrggbb, of links and buttons. Where it could not be read it is made darker or lighter. */
  accentColor: string;
  /** Links in the head of every page, in order. Without any there are links to the posts and to the help centre. */
  navigation: NavLink[];
  /** Whether the widget is on no page, on those of the help centre, or on all. */
  chat: 'off' | 'help' | 'all';
  /** Site whose chat that is, empty when off. */
  chatSiteId: string;
  /** One more with each change; the ETag. */
  version: number;
  updatedAt: Date | null;
}
export interface PublicSitePatch {
  /** Refuse with version_conflict unless the settings have this version. */
  ifMatch?: number | undefined;
  /** Name on the pages; null takes the team's. */
  title?: string | null | undefined;
  /** A sentence below the title. */
  tagline?: string | null | undefined;
  /** An https address, or /media/… of an uploaded file. */
  logoUrl?: string | null | undefined;
  /** Icon of browser tabs: an https address, or /media/… of an uploaded file. */
  iconUrl?: string | null | undefined;
  /** #rrggbb, of links and buttons. */
  accentColor?: string | null | undefined;
  /** Links in the head of every page, in order. */
  navigation?: NavLink[] | null | undefined;
  /** The pages that carry the widget. The site's allowed origins get the pages' own. */
  chat?: 'off' | 'help' | 'all' | null | undefined;
  /** Site whose chat it is; the team's first where it is empty. */
  chatSiteId?: string | null | undefined;
}
export interface Ref {
  /** Id of the object. */
  id: string;
  /** Refuse with version_conflict unless it has this version. */
  ifMatch?: number | undefined;
}
export interface Reindexed {
  articles: number;
}
export interface Reply {
  /** Id of the conversation. */
  id: string;
  /** Markdown. */
  text: string;
  cannedResponseId?: string | undefined;
}
export interface Revision {
  postId: string;
  /** The post's version that this was. */
  number: number;
  title: string;
  description: string;
  tags: string[];
  content?: string | undefined;
  actorId: string;
  createdAt: Date;
}
export interface RevisionQuery {
  /** Most records on a page. */
  limit?: number | undefined;
  /** nextCursor of the page before. */
  cursor?: string | undefined;
  /** Order by creation time. */
  order?: 'asc' | 'desc' | undefined;
  /** Add the total of all pages. */
  total?: boolean | undefined;
  /** Id of the object. */
  id: string;
  /** Add the content; source: as it was sent. */
  include?: 'content' | 'source' | undefined;
}
export interface RevisionRef {
  /** Id of the object. */
  id: string;
  /** Number of the revision. */
  n: number;
}
export interface Session {
  id: string;
  /** sess_…, shown once; also set as a cookie. */
  token?: string | undefined;
  user: User;
  team: Team;
  createdAt: Date;
  expiresAt: Date;
  userAgent?: string | undefined;
  address?: string | undefined;
  current?: boolean | undefined;
}
export interface SessionRef {
  id: string;
}
export interface Site {
  /** Public: data-site of the snippet. */
  id: string;
  name: string;
  /** Such as https://www.acme.example; empty allows none. */
  allowedOrigins: string[];
  /** #rrggbb. */
  color: string;
  greeting: string;
  locale?: string | undefined;
  /** Nothing is stored or connected before consent. */
  requireConsent: boolean;
  /** Whether the site proves who its visitors are. */
  identity: 'off' | 'optional' | 'required';
  secret: SiteSecret;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}
export interface SiteCreate {
  name: string;
  allowedOrigins?: string[] | undefined;
  color?: string | undefined;
  greeting?: string | undefined;
  locale?: string | undefined;
  requireConsent?: boolean | undefined;
  identity?: 'off' | 'optional' | 'required' | undefined;
}
export interface SiteGet {
  /** Id of the site. */
  id: string;
}
export interface SiteInstall {
  /** Id of the site. */
  id: string;
  /** The nonce of the page's content security policy, or the expression of your templates that prints it. */
  nonce?: string | undefined;
}
export interface SitePatch {
  /** Id of the object. */
  id: string;
  /** Refuse with version_conflict unless it has this version. */
  ifMatch?: number | undefined;
  name?: string | null | undefined;
  allowedOrigins?: string[] | null | undefined;
  color?: string | null | undefined;
  greeting?: string | null | undefined;
  locale?: string | null | undefined;
  requireConsent?: boolean | null | undefined;
  identity?: 'off' | 'optional' | 'required' | null | undefined;
}
export interface SiteSecret {
  set: boolean;
  last4?: string | undefined;
  /** Counts the rotations. One ends what visitors have proven before it. */
  version?: number | undefined;
  /** Of a secret from before the forms had keys of their own: the one form that it signs itself, by what the site first sent. */
  form?: 'jwt' | 'hmac' | undefined;
}
export interface SiteSecretRolled {
  site: Site;
  /** Shown once. The keys of both forms of proof are made of it: HMAC-SHA256 of 'svc identity jwt v1' signs HS256 tokens, that of 'svc identity hmac v1' ids. */
  secret: string;
}
export interface SiteSnippet {
  html: string;
}
export interface StorageUsage {
  /** Bytes that the team stores. */
  bytes: number;
  /** Most bytes that it may store; absent where there is no limit. Beyond it, writes are refused with storage_full and deleting still works. */
  limit?: number | undefined;
}
export interface Task {
  id: string;
  /** One more with each change; the ETag. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
  agentId: string;
  kind: 'api' | 'llm';
  name: string;
  description?: string | undefined;
  /** JSON Schema of context, for those who trigger it. */
  inputSchema?: unknown | undefined;
  timeoutMs: number;
  /** Of an API task. */
  method?: string | undefined;
  url?: string | undefined;
  headers?: TaskHeader[] | undefined;
  body?: string | undefined;
  apiKey?: TaskKey | undefined;
  /** Of an LLM task. */
  promptTemplate?: string | undefined;
  model?: string | undefined;
  useBrandContext?: boolean | undefined;
  outputSchema?: unknown | undefined;
  maxOutputTokens?: number | undefined;
}
export interface TaskCreate {
  agentId: string;
  kind: 'api' | 'llm';
  name: string;
  description?: string | undefined;
  inputSchema?: unknown | undefined;
  timeoutMs?: number | undefined;
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  /** http or https; placeholders allowed after the host. */
  url?: string | undefined;
  headers?: TaskHeader[] | undefined;
  body?: string | undefined;
  promptTemplate?: string | undefined;
  model?: string | undefined;
  useBrandContext?: boolean | undefined;
  outputSchema?: unknown | undefined;
  maxOutputTokens?: number | undefined;
}
export interface TaskEvent {
  type: 'run' | 'delta';
  run?: TaskRun | undefined;
  text?: string | undefined;
}
export interface TaskHeader {
  name: string;
  value?: string | undefined;
  secret?: boolean | undefined;
}
export interface TaskKey {
  set: boolean;
  last4?: string | undefined;
  placement: 'header' | 'query';
  /** Of the header or parameter; Authorization by default. */
  name: string;
  /** Before the key, such as Bearer and a space. */
  prefix?: string | undefined;
}
export interface TaskPatch {
  /** Id of the object. */
  id: string;
  /** Refuse with version_conflict unless it has this version. */
  ifMatch?: number | undefined;
  name?: string | null | undefined;
  description?: string | null | undefined;
  inputSchema?: unknown | null | undefined;
  timeoutMs?: number | null | undefined;
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | null | undefined;
  url?: string | null | undefined;
  /** Replaces all. A secret header with an empty value keeps the value of that name. */
  headers?: TaskHeader[] | null | undefined;
  body?: string | null | undefined;
  promptTemplate?: string | null | undefined;
  model?: string | null | undefined;
  useBrandContext?: boolean | null | undefined;
  outputSchema?: unknown | null | undefined;
  maxOutputTokens?: number | null | undefined;
}
export interface TaskQuery {
  /** Most records on a page. */
  limit?: number | undefined;
  /** nextCursor of the page before. */
  cursor?: string | undefined;
  /** Order by creation time. */
  order?: 'asc' | 'desc' | undefined;
  /** Add the total of all pages. */
  total?: boolean | undefined;
  agentId?: string | undefined;
}
export interface TaskRequest {
  method: string;
  url: string;
  headers: TaskHeader[];
  body?: string | undefined;
}
export interface TaskResponse {
  status: number;
  headers: TaskHeader[];
  /** The first 64 KiB. */
  body: string;
  bytes: number;
  truncated?: boolean | undefined;
}
export interface TaskRun {
  id: string;
  taskId: string;
  agentId: string;
  state: 'queued' | 'running' | 'completed' | 'failed' | 'canceled';
  trigger: 'test' | 'automation' | 'chat';
  mode: 'render' | 'live';
  /** What was sent, or would be; secrets are masked. */
  request: TaskRequest | null;
  response: TaskResponse | null;
  /** Of an LLM task. */
  prompt?: string | undefined;
  output?: string | undefined;
  /** The output, where it is JSON. */
  outputJson?: unknown | undefined;
  missingPlaceholders: string[];
  warnings: string[];
  error: JobError | null;
  usage: Usage;
  provider?: string | undefined;
  durationMs: number;
  createdAt: Date;
  updatedAt: Date;
  version: number;
}
export interface TaskRunQuery {
  /** Most records on a page. */
  limit?: number | undefined;
  /** nextCursor of the page before. */
  cursor?: string | undefined;
  /** Order by creation time. */
  order?: 'asc' | 'desc' | undefined;
  /** Add the total of all pages. */
  total?: boolean | undefined;
  taskId?: string | undefined;
  state?: 'queued' | 'running' | 'completed' | 'failed' | 'canceled' | undefined;
}
export interface TaskRunRef {
  /** Id of the run. */
  id: string;
}
export interface TaskSetKey {
  id: string;
  key: string;
  placement?: 'header' | 'query' | undefined;
  name?: string | undefined;
  prefix?: string | undefined;
}
export interface TaskTest {
  id: string;
  /** render: nothing leaves; live: the request is made, or the model asked. */
  mode?: 'render' | 'live' | undefined;
  /** For the placeholders below person. */
  person?: Record<string, unknown> | undefined;
  /** For the placeholders below context. */
  context?: Record<string, unknown> | undefined;
}
export interface TaskTestLive {
  id: string;
  /** render: nothing leaves; live: the request is made, or the model asked. */
  mode?: 'render' | 'live' | undefined;
  /** For the placeholders below person. */
  person?: Record<string, unknown> | undefined;
  /** For the placeholders below context. */
  context?: Record<string, unknown> | undefined;
  lastEventId?: string | undefined;
}
export interface Team {
  id: string;
  name: string;
  /** Path prefix of the team's public pages. */
  slug: string;
  /** IANA name, such as Europe/Berlin: the team's days begin and end by it. */
  timezone: string;
  brand: Brand;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}
export interface TeamPatch {
  name?: string | null | undefined;
  slug?: string | null | undefined;
  /** IANA name, such as Europe/Berlin; null is UTC. */
  timezone?: string | null | undefined;
}
export interface TeamRef {
  id: string;
  name: string;
  slug: string;
}
export interface TeamUsage {
  storage: StorageUsage;
}
export interface TestTurn {
  from: 'visitor' | 'agent';
  text: string;
}
export interface TextGet {
  /** Id of the object. */
  id: string;
  /** source: the content as it was sent, also where it could run something in a browser; never show it as it is. */
  include?: 'source' | undefined;
}
export interface TextSlug {
  slug: string;
  /** source: the content as it was sent. */
  include?: 'source' | undefined;
}
export interface ToolCall {
  id: string;
  name: string;
  state: 'running' | 'done' | 'refused' | 'failed';
  /** Such as the id of the draft that was made. */
  result?: string | undefined;
}
export interface Usage {
  inputTokens: number;
  outputTokens: number;
}
export interface User {
  id: string;
  email: string;
  name: string;
  role: 'owner' | 'admin' | 'editor' | 'operator' | 'viewer';
  state: 'active' | 'invited';
  lastLoginAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  version: number;
}
export interface Visitor {
  id: string;
  name?: string | undefined;
  email?: string | undefined;
  /** The site proved who it is. */
  verified: boolean;
  pageUrl?: string | undefined;
  pageTitle?: string | undefined;
  locale?: string | undefined;
}

/** An error as clients get it: data.problem is what the API says of it, as on REST. */
export interface ErrorShape {
  message: string;
  code: number;
  data: { code: string; httpStatus: number; path?: string; retryAfter?: number; problem?: Problem };
}

type Root = { ctx: object; meta: object; errorShape: ErrorShape; transformer: true };
type Query<I, O> = TRPCQueryProcedure<{ input: I; output: O; meta: unknown }>;
type Mutation<I, O> = TRPCMutationProcedure<{ input: I; output: O; meta: unknown }>;
type Subscription<I, O> = TRPCSubscriptionProcedure<{ input: I; output: AsyncIterable<O | { id: string; data: O }, void, unknown>; meta: unknown }>;

export type AppRouter = TRPCBuiltRouter<Root, {
  agents: {
    /** Makes an agent the one that answers on the widget. Deactivates the previous agent and returns its id. */
    activate: Mutation<Ref, AgentActivated>;
    /** Lists the team's agents with their models and tools. */
    available: Query<Record<string, never> | void, AgentList>;
    /** Creates an agent, inactive. */
    create: Mutation<AgentCreate, Agent>;
    /** Ends an agent's answering on the widget. */
    deactivate: Mutation<Ref, Agent>;
    /** Deletes an agent; an active one ceases to answer. */
    delete: Mutation<Ref, Deleted>;
    /** Creates an inactive agent with the settings of another. */
    duplicate: Mutation<Ref, Agent>;
    /** Returns an agent. */
    get: Query<Ref, Agent>;
    /** Lets an agent reuse canned responses. */
    linkCannedResponses: Mutation<AgentLink, Agent>;
    /** Lists the team's agents. */
    list: Query<PageQuery | void, PageOfAgent>;
    /** Shows the prompt that an agent would send, in its layers. */
    previewPrompt: Query<AgentPreview, PromptPreview>;
    /** Switches whether an active agent answers visitors. */
    setRespondToChats: Mutation<AgentSetChats, Agent>;
    /** Switches tools of an agent; those not named stay. */
    setTools: Mutation<AgentSetTools, Agent>;
    /** Counts an agent's answers, handoffs, tokens and ratings. */
    stats: Query<Ref, AgentStats>;
    /** Asks an agent as a visitor would. Its tools are not run and nothing is kept. */
    test: Mutation<AgentTestChat, AgentAnswer>;
    /** Talks to an agent without a visitor. Tools are not run and nothing is kept. */
    testChat: Mutation<AgentTestChat, AgentAnswer>;
    /** Ends an agent's use of a canned response. */
    unlinkCannedResponse: Mutation<AgentUnlink, Agent>;
    /** Changes the members of an agent that are sent. */
    update: Mutation<AgentPatch, Agent>;
  };
  apiKeys: {
    /** Creates an API key and answers with its secret, once. Without scopes it can only read. */
    create: Mutation<KeyCreate, Key>;
    /** Lists the team's API keys without their secrets. */
    list: Query<PageQuery | void, PageOfKey>;
    /** Ends an API key at once and for good. */
    revoke: Mutation<KeyRef, Key>;
    /** Gives an API key another secret; the one before works for graceHours more. */
    roll: Mutation<KeyRoll, Key>;
    /** Changes the name, scopes or expiry of an API key. */
    update: Mutation<KeyUpdate, Key>;
  };
  auth: {
    /** Sets the member's password and ends the other sessions. */
    changePassword: Mutation<PasswordChange, Record<string, never>>;
    /** Signs a member in, by e-mail address and password or by a sign-in link, and answers with the session's token, once. */
    login: Mutation<Login, Session>;
    /** Ends the session. */
    logout: Mutation<Record<string, never> | void, Record<string, never>>;
    /** Ends another session of the member; admins may end those of other members. */
    revokeSession: Mutation<SessionRef, Record<string, never>>;
    /** Returns the session itself. */
    session: Query<Record<string, never> | void, Session>;
    /** Lists the member's sessions. */
    sessions: Query<PageQuery | void, PageOfSession>;
  };
  brand: {
    /** Returns what generated content may say about the team. */
    get: Query<Record<string, never> | void, Brand>;
  };
  cannedResponses: {
    /** Creates a canned response. */
    create: Mutation<CannedCreate, CannedResponse>;
    /** Deletes a canned response and its links to agents. */
    delete: Mutation<Ref, Deleted>;
    /** Returns a canned response. */
    get: Query<Ref, CannedResponse>;
    /** Lists canned responses, newest first. */
    list: Query<CannedQuery | void, PageOfCannedResponse>;
    /** Finds the canned responses that fit a message, best first. */
    match: Query<CannedMatch, CannedMatches>;
    /** Changes the members of a canned response that are sent. */
    update: Mutation<CannedPatch, CannedResponse>;
  };
  conversations: {
    /** Gives a conversation to a member, or to none. */
    assign: Mutation<ConversationAssign, Conversation>;
    /** Follows one conversation: its messages from a seq on, answers as they are written, who types and whether the visitor is there. */
    conversation: Subscription<ConversationWatch, ConversationEvent>;
    /** Deletes a conversation and its messages for good. */
    delete: Mutation<ConversationRef, Deleted>;
    /** Returns one conversation with its latest messages. */
    get: Query<ConversationRef, ConversationDetail>;
    /** Follows the team's conversations: the latest first, then each as it changes. */
    inbox: Subscription<InboxWatch | void, ConversationEvent>;
    /** Says which person a conversation is with. */
    link: Mutation<ConversationLink, Conversation>;
    /** Lists conversations, latest message first. */
    list: Query<ConversationQuery | void, PageOfConversation>;
    /** Says that a member has seen all messages. */
    markRead: Mutation<ConversationRef, Conversation>;
    /** Lists the messages of a conversation in their order, from a seq on. */
    messages: Query<MessageQuery, MessageList>;
    /** Adds a note for members; the visitor never sees it. */
    note: Mutation<ConversationNote, Message>;
    /** Rates an agent's message. */
    rateMessage: Mutation<MessageRate, Message>;
    /** Sends a message to the visitor and takes the conversation over from the agent. From an AI client nothing is sent: the text becomes a note that suggests a reply, for a person to send. */
    reply: Mutation<Reply, Message>;
    /** Lets the active agent answer again, also what the visitor wrote last. */
    returnToBot: Mutation<ConversationRef, Conversation>;
    /** Opens, snoozes or resolves a conversation. An answer being written by the agent is canceled. */
    setState: Mutation<ConversationSetState, Conversation>;
    /** Adds and removes tags. */
    tag: Mutation<ConversationTag, Conversation>;
    /** Assigns a conversation to the signed-in member and stops the agent. */
    takeOver: Mutation<ConversationRef, Conversation>;
    /** Tells the visitor that a member is writing. */
    typing: Mutation<ConversationTyping, Record<string, never>>;
  };
  events: {
    /** Follows what changes in the team, for screens that then read again: the type of each event and the id of its object. The first value of each connection is *, since anything may have changed before. */
    changes: Subscription<ChangeFeed | void, Change>;
    /** Returns one event. */
    get: Query<EventRef, Event>;
    /** Lists the team's events of the last 90 days, filtered by type, noun.* or @category, and by time. */
    list: Query<EventQuery | void, PageOfEvent>;
    /** Lists every type of event with the JSON Schema of its object. */
    types: Query<Record<string, never> | void, EventTypeList>;
  };
  helpdesk: {
    articles: {
      /** Takes a help article out of use; unarchive makes it a draft again. */
      archive: Mutation<Ref, Article>;
      /** Creates a help article. What an AI client creates is a draft. */
      create: Mutation<ArticleCreate, Article>;
      /** Deletes an archived help article and its revisions for good. */
      delete: Mutation<Ref, Deleted>;
      /** Counts that a reader found a published help article helpful, or not. */
      feedback: Mutation<ArticleFeedback, Helpful>;
      /** Returns one help article with its content. */
      get: Query<TextGet, Article>;
      /** Returns the help article with a slug. */
      getBySlug: Query<TextSlug, Article>;
      /** Lists help articles, newest first, without their content unless include=content. */
      list: Query<ArticleQuery | void, PageOfArticle>;
      /** Makes a help article public. */
      publish: Mutation<Ref, Article>;
      /** Gives a help article the title, tags and content of a revision. Keeps the current text as a revision. */
      restoreRevision: Mutation<RevisionRef, Article>;
      /** Lists earlier texts of a help article, newest first; the last 50 are kept. */
      revisions: Query<RevisionQuery, PageOfArticleRevision>;
      /** Makes an archived help article a draft. */
      unarchive: Mutation<Ref, Article>;
      /** Makes a published help article a draft. */
      unpublish: Mutation<Ref, Article>;
      /** Changes the members that are sent; null clears one. An AI client cannot publish this way. */
      update: Mutation<ArticlePatch, Article>;
    };
    categories: {
      /** Creates a category of help articles. */
      create: Mutation<CategoryCreate, Category>;
      /** Deletes a category; its articles are left without one. */
      delete: Mutation<Ref, Deleted>;
      /** Returns a category of help articles. */
      get: Query<Ref, Category>;
      /** Lists the categories of help articles by their position. */
      list: Query<CategoryQuery | void, PageOfCategory>;
      /** Changes the members of a category of help articles that are sent. */
      update: Mutation<CategoryPatch, Category>;
    };
    gaps: {
      /** Dismisses a gap. Repeated questions are still counted; it does not reopen. */
      dismiss: Mutation<GapRef, Gap>;
      /** Makes a draft help article of a gap, for somebody to write the answer. */
      draft: Mutation<GapRef, Article>;
      /** Lists questions that no help article answers, those of one meaning together. */
      list: Query<GapQuery | void, PageOfGap>;
    };
    /** Drops the search index of the team's help articles and builds it again. */
    reindex: Mutation<Record<string, never> | void, Reindexed>;
    /** Finds help articles that answer a question or hold the words of a search, best first. */
    search: Query<HelpSearch, HelpHits>;
  };
  jobs: {
    /** Stops a job that is queued or running. Its post stays as it is. */
    cancel: Mutation<JobRef, Job>;
    /** Follows all jobs: those that are not done, then each as it changes. */
    feed: Subscription<JobFeed | void, JobEvent>;
    /** Returns one job; with wait, once it is done or the time is over. */
    get: Query<JobRef, Job>;
    /** Lists generation jobs, newest first. */
    list: Query<JobQuery | void, PageOfJob>;
    /** Queues the steps of a job that has ended again: those that failed, were canceled or skipped. */
    retry: Mutation<JobRef, Job>;
    /** Follows a job until it is done: the whole job each time it changes, and the text as it is written. */
    watch: Subscription<JobWatch, JobEvent>;
  };
  me: {
    /** Returns the caller's team, scopes and expiry, and the daemon's version. */
    get: Query<Record<string, never> | void, Me>;
  };
  media: {
    /** Deletes a file. Posts that show it keep its address. */
    delete: Mutation<MediaRef, Deleted>;
    /** Describes one file; its bytes are at the url. */
    get: Query<MediaRef, Media>;
    /** Lists files, newest first. */
    list: Query<MediaQuery | void, PageOfMedia>;
  };
  models: {
    /** Lists the language models and who answers for them now. */
    list: Query<Record<string, never> | void, ModelList>;
  };
  posts: {
    /** Takes a post out of use; unarchive makes it a draft again. */
    archive: Mutation<Ref, Post>;
    /** Makes up to 100 changes, each on its own, and answers for each. */
    batch: Mutation<PostBatch, PostBatchResult>;
    /** Creates a post, or starts a job that writes one when there is no content but a generate flag. */
    create: Mutation<PostCreate, Post | JobStarted>;
    /** Deletes a draft or an archived post and its revisions for good. */
    delete: Mutation<Ref, Deleted>;
    /** Starts a job that writes a draft post: its body, description, tags or cover, as the generate flags say. */
    generate: Mutation<PostGenerate, JobStarted>;
    /** Returns one post with its content. */
    get: Query<TextGet, Post>;
    /** Returns the post with that slug. */
    getBySlug: Query<TextSlug, Post>;
    /** Starts a job that draws a featured image for a post. */
    image: Mutation<PostImage, JobStarted>;
    /** Lists posts, newest first, without their content unless include=content. */
    list: Query<PostQuery | void, PageOfPost>;
    /** Makes a post public. */
    publish: Mutation<Ref, Post>;
    /** Gives a post the title, description, tags and content of a revision. Keeps the current text as a revision. */
    restoreRevision: Mutation<RevisionRef, Post>;
    /** Lists earlier texts of a post, newest first; the last 50 are kept. */
    revisions: Query<RevisionQuery, PageOfRevision>;
    /** Finds posts that answer a question or hold the words of a search, best first. */
    search: Query<PostSearch, PostHits>;
    /** Makes an archived post a draft. */
    unarchive: Mutation<Ref, Post>;
    /** Makes a published post a draft again. */
    unpublish: Mutation<Ref, Post>;
    /** Changes the members that are sent (JSON merge patch). An archived post takes only status and metadata. */
    update: Mutation<PostPatch, Post>;
  };
  site: {
    /** Returns how the team's public pages look and where they lead. */
    get: Query<Record<string, never> | void, PublicSite>;
    /** Changes the title, look, navigation or chat of the team's public pages: the members that are sent. */
    update: Mutation<PublicSitePatch, PublicSite>;
  };
  sites: {
    /** Adds a site. The widget runs on the pages of its allowed origins only. */
    create: Mutation<SiteCreate, Site>;
    /** Removes a site: its widget stops. The conversations stay. */
    delete: Mutation<Ref, Record<string, never>>;
    /** Returns one site. */
    get: Query<SiteGet, Site>;
    /** Returns the markup to paste into the site's pages. */
    installSnippet: Query<SiteInstall, SiteSnippet>;
    /** Lists the websites that embed the widget. */
    list: Query<PageQuery | void, PageOfSite>;
    /** Gives a site another secret for signing who its visitors are, and answers with it, once. The one before ends at once. */
    rotateSecret: Mutation<Ref, SiteSecretRolled>;
    /** Changes a site's name, allowed origins, look, consent or identity. */
    update: Mutation<SitePatch, Site>;
  };
  tasks: {
    /** Stops a run that is not done. */
    cancelRun: Mutation<TaskRunRef, TaskRun>;
    /** Forgets the key of an API task. */
    clearApiKey: Mutation<Ref, Task>;
    /** Creates a task of an agent: an API task calls an endpoint, an LLM task asks a model. */
    create: Mutation<TaskCreate, Task>;
    /** Deletes a task; its runs stay for thirty days. */
    delete: Mutation<Ref, Task>;
    /** Returns one task; its secrets are never shown. */
    get: Query<Ref, Task>;
    /** Returns one run. */
    getRun: Query<TaskRunRef, TaskRun>;
    /** Lists tasks, newest first. */
    list: Query<TaskQuery | void, PageOfTask>;
    /** Lists runs, newest first; they are kept for thirty days. */
    runs: Query<TaskRunQuery | void, PageOfTaskRun>;
    /** Stores the key of an API task. It is sent to the host of the task's url and shown to nobody. */
    setApiKey: Mutation<TaskSetKey, Task>;
    /** Runs a task by hand as testRun does: the run as it begins, a model's text as it is written, the run as it ended. */
    stream: Subscription<TaskTestLive, TaskEvent>;
    /** Runs an agent's task by hand: mode render shows what would be sent, live does it. */
    test: Mutation<TaskTest, TaskRun>;
    /** Runs a task by hand and answers when it is done: render shows what would be sent, live does it. */
    testRun: Mutation<TaskTest, TaskRun>;
    /** Changes the members that are sent (JSON merge patch). Another host in url takes the key away. */
    update: Mutation<TaskPatch, Task>;
  };
  team: {
    /** Lists privileged acts: who did what to which object, and when. */
    auditLog: Query<PageQuery | void, PageOfAuditEntry>;
    brand: {
      /** Returns what generated content may say about the team. */
      get: Query<Record<string, never> | void, Brand>;
      /** Replaces what generated content may say about the team. */
      update: Mutation<Brand, Brand>;
    };
    /** Returns the team. */
    get: Query<Record<string, never> | void, Team>;
    /** Adds a member and answers with a sign-in link, once. For one who has not signed in yet, another link replaces the first. */
    invite: Mutation<MemberInvite, MemberInvited>;
    /** Lists the team's members. */
    members: Query<PageQuery | void, PageOfUser>;
    /** Removes a member and ends their sessions. */
    remove: Mutation<MemberRef, Record<string, never>>;
    /** Changes a member's role. Only owners make and unmake owners. */
    setRole: Mutation<MemberRole, User>;
    /** Changes the team's name, slug or time zone. */
    update: Mutation<TeamPatch, Team>;
    /** Returns how many bytes the team stores, and how many it may. */
    usage: Query<Record<string, never> | void, TeamUsage>;
  };
}>;
