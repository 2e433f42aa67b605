// The links for someone who has to sign in otherwise, or to set up a second factor first.
import type { SignInRequirement } from '@chauffeur/contract/required-sign-in';
import { Group } from '@mantine/core';
import { SiteLink } from './SiteLink.tsx';

export function SignInLinks({ required }: { required: SignInRequirement }) {
  const isOnSecurityPage = location.pathname === '/settings/security';
  return (
    <Group gap="md" mt={4}>
      {required === 'second_factor' && !isOnSecurityPage && (
        <SiteLink to="/settings/security" size="sm">
          Security settings
        </SiteLink>
      )}
      <SiteLink to="/sign-in" search={{ next: location.pathname + location.search }} size="sm">
        Sign in again
      </SiteLink>
    </Group>
  );
}
