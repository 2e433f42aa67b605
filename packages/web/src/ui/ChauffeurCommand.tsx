// Commands of `chauffeur` for the open game, with what they need to work.
import { PAGES } from '@chauffeur/contract/pages';
import { Code, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SiteLink } from './SiteLink.tsx';

/** Says below a command how to install `chauffeur` and sign it in. */
export function ChauffeurCommand({ children }: { children: ReactNode }) {
  return (
    <Stack gap="xs">
      {children}
      <Text size="sm" c="dimmed">
        <SiteLink to={PAGES.cli} size="sm" underline="always">
          Install chauffeur
        </SiteLink>{' '}
        first, and sign in with <Code>{signInCommand()}</Code>.
      </Text>
    </Stack>
  );
}

export function signInCommand(): string {
  return `chauffeur login --url ${location.origin}/api/v1`;
}

/** The option that people with several games need. */
export function gameOption(slug: string): readonly [string, string] {
  return ['--game', slug];
}
