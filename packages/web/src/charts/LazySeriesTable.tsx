// The table of a chart, whose code is loaded when someone asks for it.
import { Suspense } from 'react';
import { lazyPart } from '../frame/load-code.ts';
import type { SeriesTableProps } from './SeriesTable.tsx';

const SeriesTable = lazyPart(async () => (await import('./SeriesTable.tsx')).SeriesTable);

export function LazySeriesTable(props: SeriesTableProps) {
  return (
    <Suspense fallback={null}>
      <SeriesTable {...props} />
    </Suspense>
  );
}
