// Says which build the channel of an upload offers.
import type { BuildIdentity } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getDeployInfo } from '@chauffeur/contract/operations/deploy-info';
import type { Context } from '../context.ts';

export type DeployInfo = OutputOf<typeof getDeployInfo>;

/** Says so if the channel offers another build: a newer one, or one that was promoted or rolled back to. */
export function noteChannel(
  { channels }: DeployInfo,
  { channel, os, arch, build_id }: BuildIdentity & { build_id: string },
  { output }: Context,
): void {
  const current = channels.find((offer) => offer.channel === channel && offer.os === os && offer.arch === arch);
  if (current?.build_id === build_id) return;
  const offered = current === undefined ? 'no build' : `version ${current.version}`;
  output.note(`Channel ${channel} offers ${offered} for ${os}/${arch}. To offer this build, promote it on its page.`);
}
