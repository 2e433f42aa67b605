// Following a game without JavaScript: the page that asks for an address, and those behind the links of the mails.
import { ApiError } from '@chauffeur/contract/errors';
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
import { endFollow, readConfirmation, readEnding } from '../../features/follows/follows.ts';
import { type Html, html } from './html.ts';
import type { PublicPage, SubmitForm, Visit } from './visit.ts';

export async function writeFollowPage({ ctx, ask, caller, params, query }: Visit): Promise<PublicPage> {
  const { uid = '' } = params;
  const game = await ask(getPublicGame, caller, { uid });
  const person = caller.kind === 'account' ? caller.user : null;
  const following = person !== null && (await ask(getFollow, caller, { uid })).following;
  const form =
    person === null
      ? writeAddressForm(query)
      : person.emailVerified
        ? writeAccountForm(person.email, following)
        : html`<p class="notice">Your email address isn't verified yet. Open the link in the mail that you got, then follow the game here.</p>`;
  return {
    status: 200,
    head: { ...headOf(`Follow ${game.name}`, `${ctx.publicUrl}/g/${game.slug}/follow`) },
    main: html`<div class="narrow">
<h1>Follow <bdi>${game.name}</bdi></h1>
<p>Get one mail about each release. Each has a link that ends them at once, and others never see who follows a game.</p>
${form}
<p>With a feed reader, follow the <a href="/g/${game.slug}/releases.atom">feed of releases</a> instead.</p>
<p><a href="/g/${game.slug}">Back to <bdi>${game.name}</bdi></a></p>
</div>`,
  };
}

function writeAddressForm({ state }: Visit['query']): Html {
  if (state === 'sent')
    return html`<p class="notice" role="status" data-tone="busy">Check your email. We sent a link that confirms your address. It works for two days.</p>`;
  const isWrong = state === 'address';
  return html`<form class="stacked" method="post">
<label>Email<input type="email" name="email" required maxlength="${LIMITS.emailLength}" autocomplete="email"${isWrong && html` aria-invalid="true" aria-describedby="wrong"`}></label>
${isWrong && html`<p id="wrong" class="alert" role="alert">Enter an email address, such as name@example.com.</p>`}
<button class="button filled">Follow by email</button>
</form>`;
}

function writeAccountForm(email: string, following: boolean): Html {
  return html`<form class="stacked" method="post">
<p role="status">${following ? html`You follow this game. Mails go to <strong>${email}</strong>.` : html`Mails will go to <strong>${email}</strong>.`}</p>
<button class="button ${!following && 'filled'}" name="follow" value="${following ? 'no' : 'yes'}">${following ? 'Stop following' : 'Follow'}</button>
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
    if (error instanceof ApiError && error.code === 4002) return `/g/${uid}/follow?state=address`;
    throw error;
  }
};

/** Programs that check mails open links, so a link alone changes nothing. */
export async function writeConfirmPage({ ctx, params: { token = '' }, query }: Visit): Promise<PublicPage> {
  const { game, address } = await readConfirmation(ctx, token);
  const isDone = query.state === 'done';
  return {
    status: 200,
    isPrivate: true,
    head: headOf(isDone ? 'Following' : 'Confirm your address', ctx.publicUrl),
    main: html`<div class="narrow">
<h1>${isDone ? 'You follow' : 'Follow'} <bdi>${game.name}</bdi></h1>
${
  isDone
    ? html`<p role="status">The next release comes by mail to ${address}.</p>`
    : html`<form class="stacked" method="post"><p>Get a mail about each release at <strong>${address}</strong>.</p><button class="button filled">Confirm</button></form>`
}
<p><a href="/g/${game.slug}">To the page of <bdi>${game.name}</bdi></a></p>
</div>`,
  };
}

export const submitConfirmation: SubmitForm = async ({ ask, caller, params: { token = '' } }) => {
  await ask(confirmFollow, caller, { token });
  return `/follow/${token}?state=done`;
};

export async function writeEndPage({ ctx, params: { token = '' } }: Visit): Promise<PublicPage> {
  const game = await readEnding(ctx, token);
  return {
    status: 200,
    isPrivate: true,
    head: headOf('Unsubscribe', ctx.publicUrl),
    main:
      game === null
        ? html`<div class="narrow"><h1>Unsubscribed</h1>
<p role="status">You get no more mails about releases of this game.</p><p><a href="${PAGES.home}">Go to the home page</a></p></div>`
        : html`<div class="narrow"><h1>Stop following <bdi>${game.name}</bdi>?</h1>
<form class="stacked" method="post"><p>You will get no more mails about its releases.</p><button class="button filled">Unsubscribe</button></form></div>`,
  };
}

export const submitEnd: SubmitForm = async ({ ctx, params: { token = '' } }) => {
  await endFollow(ctx, token);
  return `/unfollow/${token}`;
};

function headOf(title: string, url: string): PublicPage['head'] {
  return { title, description: '', url, isHidden: true };
}
