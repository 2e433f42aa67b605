// The HTML that shows the widget of a game on another website.
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Choice } from '../../ui/Choice.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { DocLink } from '../../ui/DocLink.tsx';
import { Section } from '../../ui/Section.tsx';
import type { OpenGame } from './use-game.ts';
import { writeWidgetCode } from './widget-code.ts';

const THEMES = [
  { value: 'auto', label: "Visitor's theme" },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

type Theme = (typeof THEMES)[number]['value'];

export function WidgetCode({ game }: { game: OpenGame }) {
  const [theme, setTheme] = useState<Theme>('auto');
  const address = `${location.origin}/g/${game.slug}/widget${theme === 'auto' ? '' : `?theme=${theme}`}`;
  return (
    <Section title="Widget for your website">
      <Stack gap="sm" maw="44rem">
        <Text size="sm">
          Paste this into a page to show the game with a button that leads here.{' '}
          {game.visibility === 'draft' && "Visitors see it once the game isn't a draft anymore. "}
          <DocLink page="shelves#widget" size="sm">
            About the widget
          </DocLink>
        </Text>
        <Group gap="md">
          <Choice label="Theme of the widget" value={theme} choices={THEMES} onChange={setTheme} />
          <Anchor href={address} target="_blank" size="sm">
            Open the widget
          </Anchor>
        </Group>
        <CopyText text={writeWidgetCode(address, game.name)} label="HTML of the widget" block />
      </Stack>
    </Section>
  );
}
