// Pages without JavaScript for people without an account: their bug tickets, and the pages behind the links of emails to
// unconfirmed addresses, also of accounts. Programs that check emails open links, so a link alone changes nothing.
import { confirmReplies } from '@chauffeur/contract/operations/bugs';
import { PAGES } from '@chauffeur/contract/pages';
import { allowEmails, isBlocked, setBlock } from '../../people/emails/emails.ts';
import {
  type FiledTicket,
  readFiledTicket,
  readReplyConfirmation,
  readReplyEnding,
  stopReplies,
} from '../../shop/bugs/reporters.ts';
import type { Texts } from '../texts.ts';
import { type Html, html } from './html.ts';
import { writeDay } from './parts.ts';
import type { PublicPage, SubmitForm, Visit } from './visit.ts';

export async function writeTicketPage({ ctx, params: { token = '' }, texts }: Visit): Promise<PublicPage> {
  const ticket = await readFiledTicket(ctx, token);
  const { game, number, title, message, steps, filed_at, replies, isUnconfirmed } = ticket;
  const heading = texts.t('ticket.title', { number: String(number) });
  return pageOf(
    ctx.publicUrl,
    heading,
    html`<h1>${heading}</h1>
<p>${texts.html('ticket.game', { game: html`<a href="/g/${game.slug}"><bdi>${game.name}</bdi></a>` })} · ${writeDay(filed_at.toISOString(), texts)}</p>
${ticket.is_duplicate && html`<p>${texts.t('ticket.known')}</p>`}
<p class="notice" role="status">${statusOf(ticket, texts)}</p>
${title !== '' && html`<p><strong>${title}</strong></p>`}
<p class="prose">${message}</p>
${steps !== '' && html`<h2>${texts.t('ticket.steps')}</h2><p class="prose">${steps}</p>`}
<h2>${texts.t('ticket.replies')}</h2>
${replies.length === 0 && html`<p>${texts.t('ticket.replies.none')}</p>`}
${replies.map(
  (reply) =>
    html`<article class="reply"><h3><bdi>${reply.user_name}</bdi> · ${writeDay(reply.sent_at.toISOString(), texts)}</h3><p class="prose">${reply.message}</p></article>`,
)}
${isUnconfirmed && html`<p class="notice">${texts.t('ticket.unconfirmed')}</p>`}
<p class="dimmed small-text">${texts.t('ticket.keep')}</p>`,
  );
}

function statusOf({ status, fixed_in_version: version }: FiledTicket, texts: Texts): string {
  if (status === 'fixed' && version !== null) return texts.t('ticket.fixedIn', { version });
  return texts.t(`ticket.${status}`);
}

export async function writeConfirmRepliesPage({ ctx, params: { token = '' }, texts }: Visit): Promise<PublicPage> {
  const { game, address, tickets } = await readReplyConfirmation(ctx, token);
  const values = { game: html`<bdi>${game.name}</bdi>`, address: html`<strong>${address}</strong>` };
  if (tickets === null)
    return askPage(ctx.publicUrl, texts.t('ticket.confirm.title'), {
      text: texts.html('ticket.confirm.text', values),
      button: texts.t('ticket.confirm'),
    });
  return pageOf(
    ctx.publicUrl,
    texts.t('ticket.confirmed'),
    html`<h1>${texts.t('ticket.confirmed')}</h1>
<p role="status">${texts.html('ticket.confirmed.text', values)}</p>
<h2>${texts.t('ticket.yours')}</h2>
<ul class="plain-list">${tickets.map(({ number, title, message, page }) => html`<li><a href="${page}">#${number} <bdi>${title === '' ? startOf(message) : title}</bdi></a></li>`)}</ul>`,
  );
}

export const submitConfirmReplies: SubmitForm = async ({ ask, caller, params: { token = '' } }) => {
  await ask(confirmReplies, caller, { token });
  return PAGES.confirmReplies.replace(':token', token);
};

export async function writeEndRepliesPage({ ctx, params: { token = '' }, texts }: Visit): Promise<PublicPage> {
  const game = await readReplyEnding(ctx, token);
  return game === null
    ? donePage(ctx.publicUrl, texts, texts.t('ticket.stopped'), texts.t('ticket.stopped.text'))
    : askPage(ctx.publicUrl, texts.t('ticket.stop.title', { game: game.name }), {
        text: texts.t('ticket.stop.text'),
        button: texts.t('ticket.stop'),
      });
}

export const submitEndReplies: SubmitForm = async ({ ctx, params: { token = '' } }) => {
  await stopReplies(ctx, token);
  return PAGES.endReplies.replace(':token', token);
};

export async function writeBlockPage({ ctx, params: { token = '' }, texts }: Visit): Promise<PublicPage> {
  const isDone = await isBlocked(ctx, token);
  return askPage(ctx.publicUrl, texts.t(isDone ? 'block.done' : 'block.title'), {
    text: texts.t(isDone ? 'block.done.text' : 'block.text'),
    button: texts.t(isDone ? 'block.allow' : 'block'),
    value: isDone ? 'allow' : 'block',
  });
}

/** The page has a button for one of the two, so that a form that is sent again doesn't undo it. */
export const submitBlock: SubmitForm = async ({ ctx, params: { token = '' } }, { mails }) => {
  if (mails === 'allow') await allowEmails(ctx, token);
  else await setBlock(ctx, token);
  return PAGES.blockMails.replace(':token', token);
};

/** The link to verify or change the address of an account. better-auth checks its token once the button is pressed. */
export async function writeConfirmEmailPage({ ctx, query, texts }: Visit): Promise<PublicPage> {
  const { token = '', callbackURL = PAGES.verify } = query;
  return askPage(ctx.publicUrl, texts.t('verify.title'), {
    text: texts.t('confirmEmail.text'),
    button: texts.t('confirmEmail'),
    action: `/api/auth/verify-email?${new URLSearchParams({ token, callbackURL })}`,
  });
}

type Question = {
  readonly text: Html | string;
  readonly button: string;
  readonly value?: string;
  /** Where the form is sent, if not to the page itself. */
  readonly action?: string;
};

function askPage(publicUrl: string, title: string, { text, button, value, action }: Question): PublicPage {
  return pageOf(
    publicUrl,
    title,
    html`<h1>${title}</h1>
<form class="stacked" method="post"${action !== undefined && html` action="${action}"`}><p>${text}</p><button class="button filled"${value !== undefined && html` name="mails" value="${value}"`}>${button}</button></form>`,
  );
}

function donePage(publicUrl: string, texts: Texts, title: string, text: string): PublicPage {
  return pageOf(
    publicUrl,
    title,
    html`<h1>${title}</h1>
<p role="status">${text}</p><p><a href="${PAGES.home}">${texts.t('problem.home')}</a></p>`,
  );
}

function pageOf(publicUrl: string, title: string, content: Html): PublicPage {
  return {
    status: 200,
    isPrivate: true,
    head: { title, description: '', url: publicUrl, isHidden: true },
    main: html`<div class="panel">${content}</div>`,
  };
}

const LISTED_LENGTH = 80;

function startOf(message: string): string {
  const [...characters] = message.slice(0, 4 * LISTED_LENGTH).trim();
  return characters.length > LISTED_LENGTH ? `${characters.slice(0, LISTED_LENGTH).join('')}…` : characters.join('');
}
