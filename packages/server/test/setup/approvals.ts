// Approvals for tests: a game whose admin has an agent, and the calls that request, decide and read approvals.
import type { User } from '../../src/context.ts';
import { findGame } from '../../src/people/game-access/game-access.sql.ts';
import { type ApprovalRequest, requestApproval } from '../../src/team/approvals/approvals.ts';
import { callApi, makeOwnedGame, type OwnedGame, type Session } from './api-calls.ts';
import { mailTo } from './mail.ts';
import { makeAdmin, makePlayer, type TestServer } from './server.ts';
import { shipAndScan } from './uploads.ts';

export type ApprovalStudio = OwnedGame & {
  admin: { id: string; email: string; headers: Session };
  buildId: string;
};

/** Creates a game with build 1.0 on beta only, its owner, and an admin whose agent requests approvals. */
export async function openApprovalStudio(server: TestServer): Promise<ApprovalStudio> {
  const own = await makeOwnedGame(server);
  const admin = await makePlayer(server);
  await makeAdmin(server, own.game.uid, admin);
  const { buildId } = await shipAndScan(server, own.game, { version: '1.0', channel: 'beta' });
  return { ...own, admin, buildId };
}

/** The calls about approvals. `serverOf` returns the server, which may start after this function was called. */
export function approvalCalls(serverOf: () => TestServer) {
  const send = (headers: Session, method: string, path: string, body?: object) =>
    callApi(serverOf(), headers, method, path, body);
  return {
    send,
    open: () => openApprovalStudio(serverOf()),

    /** Requests the promotion of 1.0 to stable as the admin's agent; `changes` replace parts of the request. */
    async ask(
      { game, admin, buildId }: ApprovalStudio,
      changes: object = {},
      idempotencyKey?: string,
      user: User = { id: admin.id, name: 'Player', email: admin.email, emailVerified: true },
    ) {
      const { ctx } = serverOf();
      const input = { channel: 'stable', build_id: buildId };
      const stored = await findGame(ctx.db, game.uid);
      const approvalRequest = {
        game: stored!,
        action: 'promote_build',
        input,
        idempotencyKey,
        ...changes,
      } as ApprovalRequest;
      return requestApproval(ctx, { user, via: 'Test agent' }, approvalRequest);
    },

    get: (headers: Session, uid: string) => send(headers, 'GET', `/approvals/${uid}`),
    confirm: (headers: Session, uid: string, code: string) =>
      send(headers, 'POST', `/approvals/${uid}/confirm`, { code }),
    decide: (headers: Session, uid: string, approve: boolean) =>
      send(headers, 'POST', `/approvals/${uid}/decide`, { approve }),

    /** The code from the mail to the owner. */
    async codeOf({ game }: ApprovalStudio): Promise<string> {
      const { text } = await mailTo(serverOf(), game.owner.email, /^Approve/);
      return /Confirmation code: (\d{6})/.exec(text.replace(/\s+/g, ' '))?.[1] ?? '';
    },

    async movesOf({ game, owner }: ApprovalStudio) {
      const { body } = await send(owner, 'GET', `/games/${game.uid}/channels/stable/history`);
      return body.data.moves as { action: string; by: string; version: string }[];
    },
  };
}
