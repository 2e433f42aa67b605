// Playing web builds in the browser: who may play which, and at which address.
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/play';
import { sandboxOf } from '@chauffeur/contract/play-sandbox';
import type { Caller, Context } from '../../context.ts';
import { type FileInput, requireDownloadable } from '../store/store.ts';
import { isApart, originOf } from './origin.ts';
import { issuePass } from './pass.ts';
import { readWebBuild } from './web-build.ts';

export async function getPlay(
  ctx: Context,
  caller: Caller,
  input: FileInput,
): Promise<OutputOf<typeof contract.getPlay>> {
  const { file } = await requireDownloadable(ctx, caller, input);
  const { pass, expiresAt } = await issuePass(ctx, file);
  const { start } = await readWebBuild(ctx, file);
  if (start === null)
    throw new ApiError(4092, 'The build has no page to begin with; put index.html at the top of its zip.');
  const keepsSaves = isApart(ctx);
  return {
    url: `${originOf(ctx, file.game_id)}/play/${pass}/${start.split('/').map(encodeURIComponent).join('/')}`,
    sandbox: sandboxOf({ keepsSaves }),
    keeps_saves: keepsSaves,
    expires_at: expiresAt?.toISOString() ?? null,
  };
}
