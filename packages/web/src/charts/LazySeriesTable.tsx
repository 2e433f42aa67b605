// The table of a chart, whose code is loaded when someone opens it, and the button that shows it.

import { Button } from '@mantine/core';
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

/** Shows or hides the values of a chart as a table, for people who cannot point at its bars or see them. */
export function TableButton({ isShown, onChange }: { isShown: boolean; onChange: (isShown: boolean) => void }) {
  return (
    <Button size="xs" variant="default" aria-expanded={isShown} onClick={() => onChange(!isShown)}>
      {isShown ? 'Hide table' : 'Show as table'}
    </Button>
  );
}
