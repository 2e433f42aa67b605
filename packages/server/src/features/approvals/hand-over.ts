// Hands the approvals of a game over to its new owner, who gets mails with codes of their own: those of the former owner stop working.
import type { Context, User } from '../../context.ts';
import type { Tx } from '../../kernel/db.ts';
import { enqueueMail } from '../accounts/accounts.ts';
import type { Game } from '../games/games.ts';
import * as approvals from './approvals.sql.ts';
import { hashCode, newCode } from './code.ts';
import { approvalMail } from './mail.ts';
import { recordOf } from './record.ts';

/** As a part of the transaction in which `game` gets its new owner, whom it names already. */
export async function handOverApprovals(ctx: Context, tx: Tx, game: Game, owner: User): Promise<void> {
  const within = { ...ctx, db: tx };
  for (const { approval_id: uid } of await approvals.lockPending(tx, game.game_id, ctx.clock.now())) {
    const code = newCode();
    await approvals.changeOwner(tx, uid, owner.id, hashCode(ctx.secret, uid, code));
    const row = (await approvals.findApproval(tx, uid))!;
    const {
      summary,
      consequences,
      confirm_url: url,
    } = await recordOf(within, { kind: 'account', user: owner }, row, game);
    const { asked_by: askedBy, via } = row;
    await enqueueMail(
      tx,
      approvalMail({ to: owner.email, game: game.name, summary, consequences, askedBy, via, url, code }),
    );
  }
}
