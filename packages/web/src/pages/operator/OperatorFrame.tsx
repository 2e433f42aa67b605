// The frame of the operator pages: links to each page. Other people learn how to become an operator.
import { getSetup } from '@chauffeur/contract/operations/setup';
import { quote } from '@chauffeur/contract/shell';
import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { PageTabs, tab } from '../../frame/PageTabs.tsx';
import { session } from '../../session.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { PageHead } from '../../ui/PageLayout.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';

const PAGES = [
  { to: '/operator', name: 'Status', exact: true },
  { to: '/operator/jobs', name: 'Failed jobs', exact: false },
  { to: '/operator/users', name: 'Accounts', exact: false },
  { to: '/operator/store', name: 'Store', exact: false },
  { to: '/operator/audit', name: 'Audit log', exact: false },
  { to: '/operator/games', name: 'Storage', exact: false },
  { to: '/operator/settings', name: 'Settings', exact: false },
  { to: '/operator/setup', name: 'Set-up', exact: false },
] as const;

export function OperatorFrame() {
  const { data: person } = useQuery(session);
  if (person?.operator !== true) return <NotAnOperator email={person?.email ?? ''} />;
  return (
    <Stack gap="lg">
      <PageTabs label="Operator">
        {PAGES.map(({ to, name, exact }) => (
          <Link key={to} to={to} className={tab} activeOptions={{ exact, includeSearch: false }}>
            {name}
          </Link>
        ))}
      </PageTabs>
      <Outlet />
    </Stack>
  );
}

function NotAnOperator({ email }: { email: string }) {
  return (
    <Stack gap="sm" maw={640}>
      <PageHead title="Operators only" />
      <Text>
        To make your account an operator, run this <DocLink page="first-run">command of the server</DocLink> on its
        machine, with the settings that the server has:
      </Text>
      <ServerCommand words={['admin', 'user', 'operator', '--email', email]} />
    </Stack>
  );
}

/** Shows a command of the server, as it is called on the server's machine. */
export function ServerCommand({ words, label = 'command' }: { words: readonly string[]; label?: string }) {
  const { data } = useQuery(ask(getSetup, {}));
  if (data === undefined) return <Skeleton h={38} />;
  const quoted = words.map((word) => quote(word, 'sh'));
  return <CopyText text={[data.command, ...quoted].join(' ')} label={label} block />;
}
