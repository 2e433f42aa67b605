// The selected rows of a list. Going back to the list selects them again.
import { useEffect, useState } from 'react';
import { useListPlace } from '../frame/list-place.ts';

type Selection = readonly [selected: readonly string[], select: (ids: readonly string[]) => void];

/** The ids of the rows, in the order in which they were selected. `listName` is unique on the page. */
export function useSelection(listName: string): Selection {
  const { restored, save } = useListPlace<readonly string[]>(`selection of ${listName}`);
  const [selected, setSelected] = useState(restored ?? []);
  useEffect(() => save(selected), [save, selected]);
  return [selected, setSelected];
}
