// The bar below the filters of the list of builds: what can be done with the selected builds, and why not.
import type { OutputOf } from '@chauffeur/contract/operation';
import { getGameBuild, listGameBuilds } from '@chauffeur/contract/operations/builds';
import { promoteBuild } from '@chauffeur/contract/operations/channels';
import { deleteBuild } from '@chauffeur/contract/operations/deletion';
import { Button, Group, Text } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { Notice } from '../../ui/PageLayout.tsx';
import { useMay } from '../../ui/Permitted.tsx';
import { CompareBar } from '../../ui/SelectRows.tsx';
import { PromoteDialog } from '../channels/PromoteDialog.tsx';
import { MoveResult, useMoves } from '../channels/use-moves.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { DeleteBuilds } from './DeleteBuilds.tsx';
import { whyNotPromoted } from './selected-builds.ts';

/** More than a version has builds in practice. */
const MAX_SIBLINGS = 100;

type SelectedBuildsProps = {
  game: OpenGame;
  /** The ids of the selected builds. */
  selected: readonly string[];
  onSelect: (ids: readonly string[]) => void;
  /** The builds on this page of the list; undefined while it is loading. */
  listed: readonly BuildFacts[] | undefined;
};

export function SelectedBuilds({ game, selected, onSelect, listed }: SelectedBuildsProps) {
  const navigate = useNavigate();
  const moves = useMoves(game.game_uid);
  const builds = useBuilds(game.game_uid, selected, listed);
  const [opened, setOpened] = useState<'promote' | 'delete' | null>(null);
  const [deleted, setDeleted] = useState(0);
  const mayPromote = useMay(promoteBuild);
  const mayDelete = useMay(deleteBuild);
  const ready = useQuery({
    ...ask(listGameBuilds, {
      uid: game.game_uid,
      version: builds?.[0]?.version ?? '',
      state: 'ready',
      page_size: MAX_SIBLINGS,
    }),
    enabled: builds !== undefined && builds.length > 1,
  });
  const isKnown = builds !== undefined && (builds.length < 2 || ready.data !== undefined);
  const obstacle = isKnown ? whyNotPromoted(builds, ready.data?.builds ?? []) : null;
  const open = (dialog: 'promote' | 'delete') => {
    moves.reset();
    setDeleted(0);
    setOpened(dialog);
  };
  const clear = () => {
    onSelect([]);
    setOpened(null);
  };
  return (
    <>
      {opened === null && moves.submittedAt > 0 && <MoveResult moves={moves} />}
      <div role="status">
        {deleted > 0 && <Notice tone="good" title={deleted === 1 ? 'Build deleted.' : `${deleted} builds deleted.`} />}
      </div>
      <CompareBar
        selected={selected}
        itemName="build"
        onCompare={(a, b) =>
          void navigate({ to: '/dev/$slug/builds/compare', params: { slug: game.slug }, search: { a, b } })
        }
        onClear={clear}
      >
        <Group gap="sm">
          {mayPromote && (
            <Button size="xs" disabled={!isKnown || obstacle !== null} onClick={() => open('promote')}>
              Promote…
            </Button>
          )}
          {mayDelete && (
            <Button size="xs" variant="default" disabled={builds === undefined} onClick={() => open('delete')}>
              Delete…
            </Button>
          )}
        </Group>
        {mayPromote && obstacle !== null && (
          <Text size="sm" c="dimmed" w="100%" style={{ order: 1 }}>
            {obstacle}
          </Text>
        )}
      </CompareBar>
      {opened === 'promote' && builds !== undefined && (
        <PromoteDialog game={game} builds={builds} moves={moves} onClose={() => setOpened(null)} onDone={clear} />
      )}
      {opened === 'delete' && builds !== undefined && (
        <DeleteBuilds
          game={game}
          builds={builds}
          onClose={() => setOpened(null)}
          onDeleted={(count) => {
            clear();
            setDeleted(count);
          }}
        />
      )}
    </>
  );
}

type BuildFacts = Pick<OutputOf<typeof getGameBuild>, 'build_id' | 'version' | 'os' | 'arch' | 'state'>;

/** The selected builds, in their order. They can be on other pages of the list. Undefined until all are loaded. */
function useBuilds(
  uid: string,
  selected: readonly string[],
  listed: readonly BuildFacts[] | undefined,
): readonly BuildFacts[] | undefined {
  const onPage = new Map<string, BuildFacts>(listed?.map((build) => [build.build_id, build]));
  const elsewhere = listed === undefined ? [] : selected.filter((id) => !onPage.has(id));
  const others = useQueries({ queries: elsewhere.map((build_id) => ask(getGameBuild, { uid, build_id })) });
  const loaded = new Map<string, BuildFacts>(onPage);
  for (const { data } of others) if (data !== undefined) loaded.set(data.build_id, data);
  const builds = selected.flatMap((id) => loaded.get(id) ?? []);
  return builds.length === selected.length ? builds : undefined;
}
