// Serves the public pages as complete documents, which are readable without JavaScript: to any client, whatever it
// accepts.
import { errors } from '@chauffeur/contract/errors';
import { KIB } from '@chauffeur/contract/limits';
import { PAGES, type PageName } from '@chauffeur/contract/pages';
import { isLanguage, type Language, PAGE_LANGUAGES } from '@chauffeur/contract/texts/messages';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ANONYMOUS, type Caller, type Context } from '../../context.ts';
import { addFormParser } from '../../http/body-parsers.ts';
import { identify } from '../../http/identify.ts';
import { sendError } from '../../http/send-error.ts';
import { isOperator } from '../../people/accounts/accounts.sql.ts';
import type { Auth } from '../../people/accounts/accounts.ts';
import { countEmailRequest, countPublicPost, countPublicRead } from '../../request/address-limit.ts';
import { fromRequest } from '../../request/audit.ts';
import { asKnownError, asUnexpected, logFailure } from '../../request/failures.ts';
import { legalLinks } from '../../request/legal-pages.ts';
import { chooseLanguage, keepLanguage, prefersJson } from '../../request/negotiation.ts';
import { isOwnOrigin } from '../../request/origins.ts';
import type { Route } from '../../request/route.ts';
import { countPageReport } from '../../shop/moderation/moderation.ts';
import { redirectFormer } from '../former-addresses.ts';
import type { PageHead } from '../page-head.ts';
import { type Texts, textsOf } from '../texts.ts';
import { writeBrowsePage, writeDeveloperPage } from './browse-page.ts';
import {
  type PageNeeds,
  type PublicDocument,
  readPublicDocument,
  sendHtml,
  type Visitor,
  writeFrame,
} from './document.ts';
import { writeFilePage } from './file-page.ts';
import {
  submitConfirmation,
  submitEnd,
  submitFollow,
  writeConfirmPage,
  writeEndPage,
  writeFollowPage,
} from './follow-page.ts';
import { writeGamePage } from './game-page.ts';
import { writeHomePage } from './home-page.ts';
import { mountPressKit } from './press-kit.ts';
import { NOT_FOUND, type PageProblem, problemOf, writeLegalPage } from './problem-pages.ts';
import { submitReport, writeReportPage } from './report-page.ts';
import {
  submitBlock,
  submitConfirmReplies,
  submitEndReplies,
  writeBlockPage,
  writeConfirmEmailPage,
  writeConfirmRepliesPage,
  writeEndRepliesPage,
  writeTicketPage,
} from './ticket-pages.ts';
import { type Ask, askOf, type PublicPage, type SubmitForm, type Visit, type WritePage } from './visit.ts';
import { mountWidget } from './widget.ts';

const PUBLIC_PAGES: { readonly [Name in PageName]?: WritePage } = {
  home: writeHomePage,
  browse: writeBrowsePage,
  developer: writeDeveloperPage,
  game: writeGamePage,
  file: writeFilePage,
  follow: writeFollowPage,
  confirmFollow: writeConfirmPage,
  endFollow: writeEndPage,
  ticket: writeTicketPage,
  confirmReplies: writeConfirmRepliesPage,
  endReplies: writeEndRepliesPage,
  blockMails: writeBlockPage,
  confirmEmail: writeConfirmEmailPage,
  reportPage: writeReportPage,
  imprint: writeLegalPage('imprint'),
  privacy: writeLegalPage('privacy'),
  terms: writeLegalPage('terms'),
};

/** The pages with a form, by what it does. */
const FORMS: { readonly [Name in PageName]?: Form } = {
  follow: { submit: submitFollow, count: countEmailRequest },
  confirmFollow: { submit: submitConfirmation, count: countPublicPost },
  endFollow: { submit: submitEnd, count: countPublicPost },
  confirmReplies: { submit: submitConfirmReplies, count: countPublicPost },
  endReplies: { submit: submitEndReplies, count: countPublicPost },
  blockMails: { submit: submitBlock, count: countPublicPost },
  reportPage: { submit: submitReport, count: countPageReport },
};

type Form = {
  readonly submit: SubmitForm;
  /** Throws `limitReached` if the address of the request has sent too many. */
  readonly count: (ctx: Context, request: FastifyRequest) => void | Promise<void>;
};

/** How long shared caches may keep a page that is the same for everyone. Browsers always ask whether it has changed. */
const SHARED_SECONDS = 30;
const MAX_FORM_BYTES = 64 * KIB;

export type PublicSite = {
  /** Sends the page for an address without one. */
  sendNotFound(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /** Sends what a visitor is shown instead of a page. */
  sendProblem(request: FastifyRequest, reply: FastifyReply, thrown: unknown): Promise<FastifyReply>;
};

type Parts = { ctx: Context; auth: Auth; ask: Ask; document: PublicDocument };

export function mountPublicPages(app: FastifyInstance, ctx: Context, auth: Auth, routes: readonly Route[]): PublicSite {
  const parts: Parts = { ctx, auth, ask: askOf(ctx, routes), document: readPublicDocument() };
  for (const [name, write] of Object.entries(PUBLIC_PAGES))
    app.get(PAGES[name as PageName], async (request, reply) => sendPage(parts, request, reply, write));
  mountWidget(app, ctx, parts.ask);
  mountPressKit(app, ctx, parts.ask, {
    identify: (request) => identifyVisitor(parts, request),
    textsFor: (request) => textsFor(request, namedLanguage(request)),
  });
  app.register(async (scope) => {
    addFormParser(scope, ctx);
    for (const [name, form] of Object.entries(FORMS))
      scope.post(PAGES[name as PageName], { bodyLimit: MAX_FORM_BYTES }, async (request, reply) =>
        receiveForm(parts, request, reply, form),
      );
  });
  return {
    sendNotFound: async (request, reply) => {
      const caller = await identifyVisitor(parts, request).catch(() => ANONYMOUS);
      return sendProblem(parts, request, reply, NOT_FOUND, caller);
    },
    sendProblem: (request, reply, thrown) => refuse(parts, request, reply, thrown),
  };
}

async function sendPage(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  write: WritePage,
): Promise<FastifyReply> {
  const { ctx, ask } = parts;
  let caller: Caller = ANONYMOUS;
  try {
    countPublicRead(ctx, request);
    caller = await identifyVisitor(parts, request);
    if (await redirectFormer(ctx, caller, request, reply)) return reply;
    const visit = { ctx, ask, caller, ...addressOf(request) };
    return await send(parts, request, reply, visit, await write(visit));
  } catch (thrown) {
    return refuse(parts, request, reply, thrown, caller);
  }
}

/** Any client gets a page that exists. Clients that prefer JSON get errors as the API sends them. */
async function refuse(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
  caller: Caller = ANONYMOUS,
): Promise<FastifyReply> {
  if (prefersJson(request.headers)) return sendError(parts.ctx, request, reply, thrown);
  return sendProblem(parts, request, reply, problemFor(parts, request, thrown), caller);
}

/** The visitor's browser then opens a page, which can be reloaded without sending the form again. */
async function receiveForm(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  { submit, count }: Form,
): Promise<FastifyReply> {
  const { ctx, ask } = parts;
  let caller: Caller = ANONYMOUS;
  try {
    await count(ctx, request);
    // The API applies the same rule to requests with a session: only pages of this service may send forms.
    const { origin } = request.headers;
    if (origin !== undefined && !isOwnOrigin(ctx.publicUrl, origin)) throw errors.crossSite();
    caller = await identifyVisitor(parts, request);
    const fields = (request.body ?? {}) as Readonly<Record<string, string>>;
    const visit = { ctx, ask, caller, ...addressOf(request) };
    const next = await fromRequest(request, () => submit(visit, fields));
    return reply.code(303).header('location', next).header('cache-control', 'no-store').send();
  } catch (thrown) {
    return refuse(parts, request, reply, thrown, caller);
  }
}

async function identifyVisitor({ ctx, auth }: Parts, request: FastifyRequest): Promise<Caller> {
  return identify(ctx, auth, { access: 'public' }, request);
}

function problemFor({ ctx }: Parts, request: FastifyRequest, thrown: unknown): PageProblem {
  const problem = problemOf(thrown);
  if (problem.status >= 500) {
    const { code } = asKnownError(thrown) ?? asUnexpected(thrown);
    logFailure(ctx, request.log, { thrown, code }, 'page failed');
  }
  return problem;
}

function addressOf(
  request: FastifyRequest,
): Pick<Visit, 'params' | 'query' | 'userAgent' | 'texts' | 'method' | 'headers'> {
  const fields = Object.entries((request.query ?? {}) as Record<string, unknown>);
  const isUsable = (field: [string, unknown]): field is [string, string] =>
    typeof field[1] === 'string' && field[1] !== '';
  const { lang, ...query } = Object.fromEntries(fields.filter(isUsable));
  return {
    params: request.params as Record<string, string>,
    query,
    userAgent: request.headers['user-agent'] ?? '',
    texts: textsFor(request, lang),
    method: request.method,
    headers: request.headers,
  };
}

function textsFor({ headers }: FastifyRequest, lang?: string): Texts {
  return textsOf(chooseLanguage({ lang, cookie: headers.cookie, accepted: headers['accept-language'] }));
}

/** The language that the address names, as the links of the footer do. */
function namedLanguage({ query }: FastifyRequest): Language | undefined {
  const { lang } = (query ?? {}) as { lang?: string };
  return isLanguage(lang) ? lang : undefined;
}

async function send(
  { ctx, document }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  { caller, texts }: Pick<Visit, 'caller' | 'texts'>,
  { status, head, main, search = '', variesByMachine = false, isPrivate, ...needs }: PublicPage,
): Promise<FastifyReply> {
  const visitor = await visitorOf(ctx, caller);
  const named = namedLanguage(request);
  const legal = legalLinks(ctx.config, texts.language);
  const body = writeFrame(main, { texts, visitor, path: request.url, search, legal });
  if (named !== undefined) reply.header('set-cookie', keepLanguage(named));
  const isShared = caller.kind === 'anonymous' && status === 200 && isPrivate !== true && named === undefined;
  const vary = [
    'Accept-Encoding',
    'Accept-Language',
    'Cookie',
    'X-Access-Token',
    ...(variesByMachine ? ['User-Agent'] : []),
  ];
  reply
    .code(status)
    .header('vary', vary.join(', '))
    .header('cache-control', isShared ? `public, max-age=0, s-maxage=${SHARED_SECONDS}` : 'private, no-cache');
  return sendDocument(document, request, reply, { ...inLanguages(head, named), language: texts.language }, body, needs);
}

/** Search engines list a page in each language under its own address. */
function inLanguages(head: PageHead, named: Language | undefined): PageHead {
  if (head.isHidden === true) return head;
  const inLanguage = (language: Language) => {
    const url = new URL(head.url);
    url.searchParams.set('lang', language);
    return url.href;
  };
  return {
    ...head,
    url: named === undefined ? head.url : inLanguage(named),
    translations: [
      ...PAGE_LANGUAGES.map((language) => ({ language, url: inLanguage(language) })),
      { language: 'x-default', url: head.url },
    ],
  };
}

/** Sends an error page with its status, which is never cached. Also sent if the database is away. */
async function sendProblem(
  { ctx, document }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, title, main, retrySeconds }: PageProblem,
  caller: Caller = ANONYMOUS,
): Promise<FastifyReply> {
  const visitor = await visitorOf(ctx, caller).catch(() => null);
  const texts = textsFor(request, namedLanguage(request));
  const { language } = texts;
  const url = ctx.publicUrl;
  const head: PageHead = { title: title(texts), description: '', url, isHidden: true, retrySeconds, language };
  reply.code(status).header('vary', 'Accept-Encoding').header('cache-control', 'no-store');
  if (retrySeconds !== undefined) reply.header('retry-after', String(retrySeconds));
  const legal = legalLinks(ctx.config, language);
  const body = writeFrame(main(texts), { texts, visitor, path: PAGES.home, search: '', legal });
  return sendDocument(document, request, reply, head, body);
}

async function sendDocument(
  document: PublicDocument,
  request: FastifyRequest,
  reply: FastifyReply,
  head: PageHead,
  body: ReturnType<typeof writeFrame>,
  needs: PageNeeds = {},
): Promise<FastifyReply> {
  return sendHtml(request, reply, document.fill(head, body), document.policy(needs));
}

async function visitorOf(ctx: Context, caller: Caller): Promise<Visitor | null> {
  if (caller.kind !== 'account') return null;
  const { id, name, email } = caller.user;
  return { name, email, isOperator: await isOperator(ctx.db, id) };
}
