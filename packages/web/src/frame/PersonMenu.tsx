// The corner of the header with the signed-in person and the sign-out button.
import { Button, Group, Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { session, signOut } from '../session.ts';
import { SiteLink } from '../ui/SiteLink.tsx';

export function PersonMenu() {
  const { data: person, isPending } = useQuery(session);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const signingOut = useMutation({
    mutationFn: signOut,
    // The next person on this machine must not see this person's data.
    onSuccess: async () => {
      queries.clear();
      await navigate({ to: '/' });
    },
  });
  if (isPending) return <Skeleton w={120} h={20} aria-label="Loading account" />;
  if (person == null) {
    return (
      <Group gap="md" wrap="nowrap">
        <SiteLink to="/sign-in" size="sm" style={{ whiteSpace: 'nowrap' }}>
          Sign in
        </SiteLink>
        <Button component={Link} to="/sign-up" size="xs" style={{ flexShrink: 0 }}>
          Sign up
        </Button>
      </Group>
    );
  }
  return (
    <Group gap="md" wrap="nowrap">
      {person.operator === true && (
        <SiteLink to="/operator" size="sm" visibleFrom="xs">
          Operator
        </SiteLink>
      )}
      <SiteLink to="/settings/profile" size="sm" truncate maw={160} title={person.email}>
        {person.name}
      </SiteLink>
      <Button variant="default" size="xs" loading={signingOut.isPending} onClick={() => signingOut.mutate()}>
        Sign out
      </Button>
    </Group>
  );
}
