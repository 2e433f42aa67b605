// Creates a deploy key and refreshes the lists of keys and tokens.
import { issueDeployKey, listDeployKeys, listUploadTokens } from '@chauffeur/contract/operations/deploy-keys';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';

export function useIssueKey(gameUid: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (revokesTokens: boolean) => call(issueDeployKey, { uid: gameUid, revoke_tokens: revokesTokens }),
    onSuccess: () =>
      Promise.all([listDeployKeys, listUploadTokens].map(({ id }) => queries.invalidateQueries({ queryKey: [id] }))),
  });
}
