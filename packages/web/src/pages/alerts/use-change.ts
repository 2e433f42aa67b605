// Changes the settings of a game's alerts.
import type { InputOf } from '@chauffeur/contract/operation';
import { getAlerts, updateAlerts } from '@chauffeur/contract/operations/alerts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ask, call } from '../../api.ts';

type Changes = Omit<InputOf<typeof updateAlerts>, 'uid'>;

export function useChange(uid: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (changes: Changes) => call(updateAlerts, { uid, ...changes }),
    onSuccess: (changed) => queries.setQueryData(ask(getAlerts, { uid }).queryKey, changed),
  });
}
