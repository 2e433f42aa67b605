// Compares the crash groups of two builds, by reports and by reports per 1,000 devices.
import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/health';
import { compareGroups } from '../../crash/crashes/crashes.ts';
import { requireMember } from '../../people/games/games.ts';
import { readReplica } from '../../request/read-replica.ts';
import { handle } from '../../request/route.ts';
import { findBuild } from '../../ship/builds/builds.ts';
import { countDevices } from '../events/events.ts';

type Comparison = OutputOf<typeof contract.compareCrashes>;
type ComparedBuild = Comparison['build'];

export const compareCrashes = handle(contract.compareCrashes, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const asked = { gameId: game.game_id, caller };
  const compared = async (field: 'build_id' | 'other'): Promise<ComparedBuild> => {
    const build = await findBuild(ctx.db, game.game_id, input[field]);
    if (build === null)
      throw errors.unknownBuild(`${field}: this game has no such build. List the builds and use one of their ids.`);
    const { build_id, version, os, arch } = build;
    return { build_id, version, os, arch, devices: await countDevices(ctx, asked, build_id) };
  };
  const [build, other] = await Promise.all([compared('build_id'), compared('other')]);
  const ids = { buildId: build.build_id, otherId: other.build_id };
  const rows = await readReplica(ctx, asked, (reader) =>
    compareGroups(reader, game.game_id, ids, LIMITS.comparedGroups),
  );
  const groupsOf = (kind: (typeof rows)[number]['kind']) => {
    const groups = rows.filter((row) => row.kind === kind);
    return {
      count: groups[0]?.groups ?? 0,
      groups: groups.map(({ kind: _, groups: __, ...group }) => ({
        ...group,
        per_thousand: perThousand(group.reports, build),
        other_per_thousand: perThousand(group.other_reports, other),
      })),
    };
  };
  return {
    build,
    other,
    only_build: groupsOf('only_build'),
    only_other: groupsOf('only_other'),
    both: groupsOf('both'),
  };
});

function perThousand(reports: number, { devices }: ComparedBuild): number | null {
  return devices === 0 ? null : (reports * 1000) / devices;
}
