// Reads the facets of a game, and the values of a facet that is being typed, for the completion of a query.
import { isFacet } from '@chauffeur/contract/crash-facets';
import { listFacetValues } from '@chauffeur/contract/operations/impact';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { useGame } from '../games/use-game.ts';
import { type KnownValues, valueAt } from './complete-query.ts';

const TYPING_DELAY_MS = 150;

export function useFacetValues(query: string, cursor: number): KnownValues {
  const game = useGame();
  const typed = valueAt(query, cursor);
  const facet = typed !== null && isFacet(typed.key) ? typed.key : '';
  const [part] = useDebouncedValue(typed?.text ?? '', TYPING_DELAY_MS);
  const input = { uid: game.game_uid, ...(facet !== '' && { facet, ...(part !== '' && { part }) }) };
  const { data } = useQuery({ ...ask(listFacetValues, input), placeholderData: keepPreviousData });
  const keys = (data?.facets ?? []).map((name): [string, readonly string[]] => [name, []]);
  return { ...Object.fromEntries(keys), ...(facet !== '' && { [facet]: data?.values ?? [] }) };
}
