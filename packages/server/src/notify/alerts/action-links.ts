// The links of alerts about crash groups: assign to me, resolve, snooze. A link leads to a page that shows what would
// happen, because scanners of email and previews of chats open links. The page makes the change as the person who is
// signed in, with their role, so the link itself permits nothing.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/alerts';
import { ALERT_ACTIONS, type AlertAction } from '@chauffeur/contract/operations/alerts';
import { PAGES } from '@chauffeur/contract/pages';
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { deriveKey, isCurrent, openToken, signToken } from '../../kernel/secrets/signed-token.ts';
import { type Game, requireMember } from '../../people/game-access/game-access.ts';
import { handle } from '../../request/route.ts';
import type { Line, Message } from './message.ts';

const LABELS: Readonly<Record<AlertAction, string>> = {
  assign: 'Assign to me',
  resolve: 'Resolve',
  snooze: 'Snooze',
};

/** How long a link works after its message was sent. */
const LIFE_MS = 14 * DAY;

function keyOf({ secret }: Pick<Context, 'secret'>): Buffer {
  return deriveKey(secret, 'alert action');
}

/** The links of a line; none if it isn't about a crash group. */
export function actionLinksOf(ctx: Context, game: Game, { data }: Line): Message['lines'][number]['actions'] {
  if (!('group_id' in data)) return [];
  const groupId = data.group_id;
  return ALERT_ACTIONS.map((action) => {
    const token = actionToken(ctx, { gameId: game.game_id, groupId, action });
    const page = PAGES.alertAction.replace(':uid', game.slug).replace(':token', token);
    return { action, label: LABELS[action], url: `${ctx.publicUrl}${page}` };
  });
}

type Offer = { readonly gameId: string; readonly groupId: string; readonly action: AlertAction };

/** The token of a link. It is short, because chats limit the length of messages with their links. */
export function actionToken(ctx: Pick<Context, 'secret' | 'clock'>, { gameId, groupId, action }: Offer): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeUInt8(ALERT_ACTIONS.indexOf(action), 0);
  payload.writeUIntBE(ctx.clock.now().getTime() + LIFE_MS, 1, 6);
  payload.write(gameId.replaceAll('-', ''), 7, 'hex');
  payload.write(groupId.replaceAll('-', ''), 23, 'hex');
  return signToken(keyOf(ctx), payload);
}

/** The action, the time at which the token expires, the game and the group. */
const PAYLOAD_BYTES = 1 + 6 + 16 + 16;

/** Throws `notFound` for a token of another game, and for one that has expired. */
export const getAlertAction = handle(contract.getAlertAction, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const payload = openToken(keyOf(ctx), input.token);
  const action = payload?.length === PAYLOAD_BYTES ? ALERT_ACTIONS[payload[0]!] : undefined;
  if (payload === null || action === undefined || uuidAt(payload, 7) !== game.game_id)
    throw errors.notFound('token: this link is incomplete, or belongs to another game.');
  const expiresAt = payload.readUIntBE(1, 6);
  if (!isCurrent(expiresAt, LIFE_MS, ctx.clock.now()))
    throw errors.notFound('token: this link has expired. Change the crash group on its page instead.');
  return { action, group_id: uuidAt(payload, 23), expires_at: new Date(expiresAt).toISOString() };
});

function uuidAt(payload: Buffer, start: number): string {
  return payload.toString('hex', start, start + 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
