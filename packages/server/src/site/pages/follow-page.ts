// Following a game without JavaScript: the page that asks for an address, and those behind the links of the emails.
import { isError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import {
  confirmFollow,
  followGame,
  getFollow,
  requestFollow,
  unfollowGame,
} from '@chauffeur/contract/operations/follows';
import { getPublicGame } from '@chauffeur/contract/operations/store';
import { PAGES } from '@chauffeur/contract/pages';
import { dropFollow, readConfirmation, readEnding } from '../../shop/follows/follows.ts';
import type { Texts } from '../texts.ts';
import { type Html, html } from './html.ts';
import { feedAddress, writeFormImage } from './parts.ts';
import type { PublicPage, SubmitForm, Visit } from './visit.ts';

export async function writeFollowPage({ ctx, ask, caller, params, query, texts }: Visit): Promise<PublicPage> {
  const { uid = '' } = params;
  const game = await ask(getPublicGame, caller, { uid });
  const name = html`<bdi>${game.name}</bdi>`;
  const person = caller.kind === 'account' ? caller.user : null;
  const following = person !== null && (await ask(getFollow, caller, { uid })).following;
  const form =
    person === null
      ? writeAddressForm(query, texts)
      : person.emailVerified
        ? writeAccountForm(person.email, following, texts)
        : html`<p class="notice">${texts.t('follow.unverified')}</p>`;
  return {
    status: 200,
    head: headOf(texts.t('follow.title', { game: game.name }), `${ctx.publicUrl}/g/${game.slug}/follow`),
    main: html`<div class="panel">
${writeFormImage(game)}
<h1>${texts.html('follow.title', { game: name })}</h1>
<p>${texts.t('follow.text')}</p>
${form}
<p>${texts.html('follow.feed', { link: (text) => html`<a href="${feedAddress(`/g/${game.slug}/releases.atom`, texts.language)}">${text}</a>` })}</p>
<p><a href="/g/${game.slug}">${texts.html('follow.back', { game: name })}</a></p>
</div>`,
  };
}

function writeAddressForm({ state }: Visit['query'], texts: Texts): Html {
  if (state === 'sent') return html`<p class="notice" role="status" data-tone="busy">${texts.t('follow.sent')}</p>`;
  const isWrong = state === 'address';
  return html`<form class="stacked" method="post">
<label>${texts.t('follow.email')}<input type="email" name="email" required maxlength="${LIMITS.emailLength}" autocomplete="email"${isWrong && html` aria-invalid="true" aria-describedby="wrong"`}></label>
${isWrong && html`<p id="wrong" class="alert" role="alert">${texts.t('follow.email.wrong')}</p>`}
<button class="button filled">${texts.t('follow.byEmail')}</button>
</form>`;
}

function writeAccountForm(email: string, following: boolean, texts: Texts): Html {
  return html`<form class="stacked" method="post">
<p role="status">${texts.html(following ? 'follow.following' : 'follow.willGo', { email: html`<strong>${email}</strong>` })}</p>
<button class="button ${!following && 'filled'}" name="follow" value="${following ? 'no' : 'yes'}">${texts.t(following ? 'follow.stop' : 'follow')}</button>
</form>`;
}

export const submitFollow: SubmitForm = async ({ ask, caller, params: { uid = '' } }, { email = '', follow }) => {
  if (caller.kind === 'account') {
    await ask(follow === 'no' ? unfollowGame : followGame, caller, { uid });
    return `/g/${uid}/follow`;
  }
  try {
    await ask(requestFollow, caller, { uid, email: email.trim() });
    return `/g/${uid}/follow?state=sent`;
  } catch (error) {
    if (isError(error, 'invalid')) return `/g/${uid}/follow?state=address`;
    throw error;
  }
};

/** Programs that check emails open links, so a link alone changes nothing. */
export async function writeConfirmPage({ ctx, params: { token = '' }, texts }: Visit): Promise<PublicPage> {
  const { game, address, isDone } = await readConfirmation(ctx, token);
  const name = html`<bdi>${game.name}</bdi>`;
  return {
    status: 200,
    isPrivate: true,
    head: headOf(texts.t(isDone ? 'follow.done.title' : 'follow.confirm.title'), ctx.publicUrl),
    main: html`<div class="panel">
<h1>${texts.html(isDone ? 'follow.done' : 'follow.title', { game: name })}</h1>
${
  isDone
    ? html`<p role="status">${texts.t('follow.done.text', { address })}</p>`
    : html`<form class="stacked" method="post"><p>${texts.html('follow.confirm.text', { address: html`<strong>${address}</strong>` })}</p><button class="button filled">${texts.t('follow.confirm')}</button></form>`
}
<p><a href="/g/${game.slug}">${texts.html('follow.toPage', { game: name })}</a></p>
</div>`,
  };
}

export const submitConfirmation: SubmitForm = async ({ ask, caller, params: { token = '' } }) => {
  await ask(confirmFollow, caller, { token });
  return `/follow/${token}`;
};

export async function writeEndPage({ ctx, params: { token = '' }, texts }: Visit): Promise<PublicPage> {
  const game = await readEnding(ctx, token);
  return {
    status: 200,
    isPrivate: true,
    head: headOf(texts.t('unfollow'), ctx.publicUrl),
    main:
      game === null
        ? html`<div class="panel"><h1>${texts.t('unfollow.done')}</h1>
<p role="status">${texts.t('unfollow.done.text')}</p><p><a href="${PAGES.home}">${texts.t('problem.home')}</a></p></div>`
        : html`<div class="panel"><h1>${texts.html('unfollow.title', { game: html`<bdi>${game.name}</bdi>` })}</h1>
<form class="stacked" method="post"><p>${texts.t('unfollow.text')}</p><button class="button filled">${texts.t('unfollow')}</button></form></div>`,
  };
}

export const submitEnd: SubmitForm = async ({ ctx, params: { token = '' } }) => {
  await dropFollow(ctx, token);
  return `/unfollow/${token}`;
};

function headOf(title: string, url: string): PublicPage['head'] {
  return { title, description: '', url, isHidden: true };
}
