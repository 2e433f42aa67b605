// Decides who may play a web build, and at which address.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/play';
import { sandboxOf } from '@chauffeur/contract/play-sandbox';
import { areShared, ownOriginOf } from '../../request/origins.ts';
import { handle } from '../../request/route.ts';
import { requireDownloadable } from '../store/store.ts';
import { issuePass } from './pass.ts';
import { readWebBuild } from './web-build.ts';

export const getPlay = handle(contract.getPlay, async (ctx, { caller, input }) => {
  const { file } = await requireDownloadable(ctx, caller, input);
  const { pass, expiresAt } = await issuePass(ctx, file);
  const { start } = await readWebBuild(ctx, file);
  if (start === null)
    throw errors.notPlayable('The build has no start page. Put index.html at the top level of its .zip.');
  const query = input.referrer === undefined ? '' : `?${new URLSearchParams({ referrer: input.referrer })}`;
  const path = `/play/${pass}/${start.split('/').map(encodeURIComponent).join('/')}${query}`;
  const shared = { url: ctx.publicUrl + path, sandbox: sandboxOf({ keepsOrigin: false }) };
  const ownOrigin = ownOriginOf(ctx, file.game_id);
  const expires_at = expiresAt?.toISOString() ?? null;
  if (ownOrigin === null) return { ...shared, keeps_saves: false, fallback: null, expires_at };
  return {
    url: ownOrigin + path,
    sandbox: sandboxOf({ keepsOrigin: true }),
    keeps_saves: true,
    fallback: areShared(ctx) ? shared : null,
    expires_at,
  };
});
