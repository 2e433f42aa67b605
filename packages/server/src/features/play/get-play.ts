// Decides who may play a web build, and at which address.
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/play';
import { sandboxOf } from '@chauffeur/contract/play-sandbox';
import type { Context } from '../../context.ts';
import type { Call } from '../../request/call.ts';
import { isApart, originOf } from '../../request/play-origin.ts';
import { requireDownloadable } from '../store/store.ts';
import { issuePass } from './pass.ts';
import { readWebBuild } from './web-build.ts';

export async function getPlay(
  ctx: Context,
  { caller, input }: Call<typeof contract.getPlay>,
): Promise<OutputOf<typeof contract.getPlay>> {
  const { file } = await requireDownloadable(ctx, caller, input);
  const { pass, expiresAt } = await issuePass(ctx, file);
  const { start } = await readWebBuild(ctx, file);
  if (start === null)
    throw new ApiError(4092, 'The build has no start page. Put index.html at the top level of its .zip.');
  const query = input.referrer === undefined ? '' : `?${new URLSearchParams({ referrer: input.referrer })}`;
  const keepsSaves = isApart(ctx);
  return {
    url: `${originOf(ctx, file.game_id)}/play/${pass}/${start.split('/').map(encodeURIComponent).join('/')}${query}`,
    sandbox: sandboxOf({ keepsSaves }),
    keeps_saves: keepsSaves,
    expires_at: expiresAt?.toISOString() ?? null,
  };
}
