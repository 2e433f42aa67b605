// The organisations that require how the person signs in, and what to do to open them again.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listSignInRequirements } from '@chauffeur/contract/operations/organisations';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Notice } from '../../ui/PageLayout.tsx';
import { SignInLinks } from '../../ui/SiteLink.tsx';

type Requirement = OutputOf<typeof listSignInRequirements>['requirements'][number];

const NAMES: Readonly<Record<Requirement['required_sign_in'], string>> = {
  second_factor: 'a second factor',
  single_sign_on: 'single sign-on',
};

/**
 * With `onlyUnmet`, organisations that the person can open are left out. Nothing is shown while the list is loading.
 */
export function RequiredSignIn({ onlyUnmet = false }: { onlyUnmet?: boolean }) {
  const { data } = useQuery(ask(listSignInRequirements, {}));
  const shown = data?.requirements.filter(({ met }) => !(met && onlyUnmet)) ?? [];
  if (shown.length === 0) return null;
  return (
    <Stack gap="sm">
      {shown.map((requirement) => (
        <One key={requirement.organisation_uid} requirement={requirement} />
      ))}
    </Stack>
  );
}

function One({ requirement: { name, required_sign_in, met } }: { requirement: Requirement }) {
  const title = `${name} requires ${NAMES[required_sign_in]}`;
  if (met)
    return (
      <Notice tone="good" title={title}>
        <Text size="sm">You signed in with it, so you can open {name} and its games.</Text>
      </Notice>
    );
  return (
    <Notice tone="unsure" title={title}>
      <Text size="sm">
        You can't open {name} and its games until you{' '}
        {required_sign_in === 'single_sign_on' ? 'sign in with it.' : 'add one and sign in with it.'}
      </Text>
      <SignInLinks required={required_sign_in} />
    </Notice>
  );
}
