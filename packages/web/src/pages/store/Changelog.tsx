// What is new in the build that is offered.
import { Text, Title } from '@mantine/core';
import type { Offer } from './DownloadPanel.tsx';
import classes from './GamePage.module.css';

export function Changelog({ offer: { version, title, changelog_items: items } }: { offer: Offer }) {
  if (items.length === 0) return null;
  return (
    <section aria-labelledby="changes">
      <Title order={2} size="h4" id="changes" mb="xs">
        New in {version}
        {title !== '' && title !== version && `: ${title}`}
      </Title>
      <ul className={classes.changes}>
        {items.map((item, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two items may say the same, and none moves.
          <li key={place}>
            <Text fw={600}>{item.title}</Text>
            {item.description !== '' && <Text className={classes.prose}>{item.description}</Text>}
          </li>
        ))}
      </ul>
    </section>
  );
}
