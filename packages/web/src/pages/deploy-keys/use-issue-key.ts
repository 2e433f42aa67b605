// Creates a deploy key and refreshes the list of keys.
import { issueDeployKey, listDeployKeys } from '@chauffeur/contract/operations/deploy-keys';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';

export function useIssueKey(gameUid: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => call(issueDeployKey, { uid: gameUid }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [listDeployKeys.id] }),
  });
}
