// Crash reports that are like what the address asks for: by function, words, build or system.
import { Problem } from '../../ui/Problem.tsx';
import type { OpenGame } from '../games/use-game.ts';
import type { CrashFilters } from './filters.ts';
import { NewRows } from './NewRows.tsx';
import { NoCrashes } from './NoCrashes.tsx';
import { ReportRows, useReports } from './ReportRows.tsx';
import { ShowMore } from './ShowMore.tsx';

type ReportListProps = { game: OpenGame; filters: CrashFilters; onAll: () => void };

export function ReportList({ game, filters, onAll }: ReportListProps) {
  const { build, os, search } = filters;
  const list = useReports({
    uid: game.game_uid,
    ...(build !== undefined && { build_id: build }),
    ...(os !== undefined && { os }),
    ...(search !== undefined && { [search.in]: search.words }),
  });
  const { rows, isPending, error, again } = list;
  return (
    <>
      {error !== null && <Problem error={error} again={again} />}
      <NewRows list={list} one="report" />
      {!isPending && rows.length === 0 && error === null && <NoCrashes game={game} filters={filters} onAll={onAll} />}
      <ReportRows slug={game.slug} list={list} />
      <ShowMore list={list} what="reports" />
    </>
  );
}
