// The crash reports of a game that match the filters.

import { ShowNewButton } from '../../ui/ShowNewButton.tsx';
import type { OpenGame } from '../games/use-game.ts';
import type { CrashFilters } from './filters.ts';
import { NoCrashes } from './NoCrashes.tsx';
import { ReportTable } from './ReportTable.tsx';
import { formatShowNewReports, useReports } from './use-reports.ts';

type ReportListProps = {
  game: OpenGame;
  filters: CrashFilters;
  /** Removes all filters. */
  onReset: () => void;
};

export function ReportList({ game, filters, onReset }: ReportListProps) {
  const { query } = filters;
  const list = useReports({ uid: game.game_uid, ...(query !== '' && { query }) });
  return (
    <>
      <ShowNewButton list={list} format={formatShowNewReports} />
      <ReportTable slug={game.slug} list={list} empty={<NoCrashes game={game} filters={filters} onReset={onReset} />} />
    </>
  );
}
