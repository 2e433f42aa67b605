// The changelog of the build on offer.
import { Text, Title } from '@mantine/core';
import classes from './GamePage.module.css';
import type { Offer } from './ScanLine.tsx';

export function Changelog({ offer: { version, title, changelog_items: items } }: { offer: Offer }) {
  if (items.length === 0) return null;
  return (
    <section aria-labelledby="changes">
      <Title order={2} size="h4" id="changes" mb="xs">
        {title === '' || title === version ? `What's new in ${version}` : `What's new in ${version}: ${title}`}
      </Title>
      <ul className={classes.changes}>
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two items may have the same text, and items never move
          <li key={index}>
            <Text fw={600}>{item.title}</Text>
            {item.description !== '' && <Text className={classes.prose}>{item.description}</Text>}
          </li>
        ))}
      </ul>
    </section>
  );
}
