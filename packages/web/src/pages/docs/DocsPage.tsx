// The start page of the documentation, with a description of each page.
import { DOC_GROUPS } from '@chauffeur/contract/docs';
import { SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { PageHead } from '../../ui/PageHead.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import classes from './Docs.module.css';

export function DocsPage() {
  return (
    <Stack gap="xl">
      <PageHead title="Documentation" />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
        {DOC_GROUPS.map(({ name, pages }) => (
          <section key={name} aria-label={name}>
            <Title order={2} size="h4" mb="xs">
              {name}
            </Title>
            <ul className={classes.pages}>
              {pages.map(({ page, title, description }) => (
                <li key={page}>
                  <SiteLink to="/docs/$page" params={{ page }}>
                    {title}
                  </SiteLink>
                  <Text size="sm" c="dimmed">
                    {description}
                  </Text>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </SimpleGrid>
    </Stack>
  );
}
