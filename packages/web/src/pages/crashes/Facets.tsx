// What the players who crashed have in common: a list of bars for each facet. Each value is a link to its filter.
import { filterOfValue, formatFacet } from '@chauffeur/contract/crash-facets';
import { formatCompactNumber, formatNumber, formatPercent } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getImpact } from '@chauffeur/contract/operations/impact';
import { SimpleGrid, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Facets.module.css';

type Facet = OutputOf<typeof getImpact>['facets'][number];
type Value = Facet['values'][number];

type FacetsProps = {
  facets: readonly Facet[];
  /** All reports that the facets are of. */
  reports: number;
  /** What a click on a value leads to: it gets the filter and what is shown. */
  link: (filter: string, children: ReactNode) => ReactNode;
};

export function Facets({ facets, reports, link }: FacetsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="lg" verticalSpacing="md">
      {facets.map((facet) => (
        <section key={facet.facet} aria-label={formatFacet(facet.facet)} className={classes.facet}>
          <Text component="h3" size="sm" fw={600} truncate title={facet.facet}>
            {formatFacet(facet.facet)}
          </Text>
          <ul>
            {facet.values.map((value) => (
              <li key={value.value}>
                {link(
                  filterOfValue(facet.facet, value.value),
                  <Bar name={formatFacet(facet.facet)} value={value} reports={reports} />,
                )}
              </li>
            ))}
            {facet.other.reports > 0 && (
              <li className={classes.other}>
                <span>
                  {facet.other.values === 1 ? '1 other value' : `${formatNumber(facet.other.values)} other values`}
                </span>
                <span>{formatPercent(facet.other.reports / reports)}</span>
              </li>
            )}
          </ul>
        </section>
      ))}
    </SimpleGrid>
  );
}

type BarProps = { name: string; value: Value; reports: number };

/** Screen readers also read the name of the facet and the counts. */
function Bar({ name, value: { value, reports: count, devices }, reports }: BarProps) {
  const share = reports === 0 ? 0 : count / reports;
  return (
    <span className={classes.bar}>
      <VisuallyHidden>{name} </VisuallyHidden>
      <span className={classes.fill} style={{ width: `${(share * 100).toFixed(1)}%` }} />
      <span className={classes.value} title={value}>
        {value}
      </span>
      <span className={classes.share}>
        {formatPercent(share)}
        <span className={classes.count}>{formatCompactNumber(count)}</span>
      </span>
      <VisuallyHidden>: {formatCounts({ value, reports: count, devices })}</VisuallyHidden>
    </span>
  );
}

function formatCounts({ reports, devices }: Value): string {
  const ofReports = reports === 1 ? '1 report' : `${formatNumber(reports)} reports`;
  if (devices === 0) return ofReports;
  return `${ofReports}, ${devices === 1 ? '1 device' : `${formatNumber(devices)} devices`}`;
}
