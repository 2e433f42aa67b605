// Shows the way to the set-up page while the installation has no account at all.
import { getSetup } from '@chauffeur/contract/operations/setup';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Notice } from '../../ui/Notice.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';

export function SetupNotice() {
  const { data } = useQuery(ask(getSetup, {}));
  if (data === undefined || !data.open || data.has_accounts) return null;
  return (
    <Notice tone="busy" title="This server isn't set up yet">
      <Text size="sm">
        Open the link that it printed when it started, or <SiteLink to="/setup">enter its set-up code</SiteLink>.
      </Text>
    </Notice>
  );
}
