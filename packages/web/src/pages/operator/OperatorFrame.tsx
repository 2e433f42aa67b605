// The operator's pages: their parts above the one that is open; nothing of it for others.
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import classes from '../../frame/GameFrame.module.css';
import { session } from '../../session.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { PageHead } from '../../ui/PageHead.tsx';

const PARTS = [
  { to: '/operator', name: 'State', exact: true },
  { to: '/operator/jobs', name: 'Failed jobs', exact: false },
  { to: '/operator/users', name: 'Accounts', exact: false },
  { to: '/operator/settings', name: 'Settings', exact: false },
] as const;

export function OperatorFrame() {
  const { data: person } = useQuery(session);
  if (person?.operator !== true) return <NotAnOperator email={person?.email ?? ''} />;
  return (
    <Stack gap="lg">
      <nav className={classes.sections} aria-label="Operator">
        {PARTS.map(({ to, name, exact }) => (
          <Link key={to} to={to} className={classes.section} activeOptions={{ exact, includeSearch: false }}>
            {name}
          </Link>
        ))}
      </nav>
      <Outlet />
    </Stack>
  );
}

function NotAnOperator({ email }: { email: string }) {
  return (
    <Stack gap="sm" maw={640}>
      <PageHead title="For operators" />
      <Text>This part is for who runs the service. On its machine, one command makes your account an operator’s:</Text>
      <CopyText text={`npx chauffeur-server admin user operator --email ${email}`} what="command" whole />
    </Stack>
  );
}
