// Writes ops/grafana/chauffeur.json, the dashboard, from the table of its panels.
import { DASHBOARD, type Panel } from './dashboard-panels.ts';

const COLUMNS = 24;
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana.
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
/** The units are columns and 30 pixels. */
const SIZES = { stat: { w: 6, h: 5 }, timeseries: { w: 12, h: 8 } } as const;

type Place = { readonly x: number; readonly y: number };

export function writeDashboard(): string {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: inRow } of DASHBOARD) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
      panels: [],
    });
    y += 1;
    let [x, height] = [0, 0];
    for (const panel of inRow) {
      const size = SIZES[typeOf(panel)];
      if (x + size.w > COLUMNS) {
        y += height;
        [x, height] = [0, 0];
      }
      panels.push(panelOf(panel, panels.length + 1, { x, y }));
      x += size.w;
      height = Math.max(height, size.h);
    }
    y += height;
  }
  return `${JSON.stringify({ ...FRAME, panels }, null, 2)}\n`;
}

/** The query of a variable that lists the values of a label. */
function labelVariable(name: string, label: string, query: string, more: object = {}): object {
  return {
    name,
    label,
    type: 'query',
    datasource: DATASOURCE,
    definition: query,
    query: { query, refId: name },
    refresh: 2,
    sort: 1,
    ...more,
  };
}

const FRAME = {
  title: 'Chauffeur',
  uid: 'chauffeur',
  description: 'Requests, builds, crash reports, events, jobs, storage and processes of a Chauffeur service.',
  tags: ['chauffeur'],
  schemaVersion: 39,
  version: 1,
  editable: true,
  graphTooltip: 1,
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  timezone: 'browser',
  links: [],
  annotations: { list: [] },
  templating: {
    list: [
      { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', refresh: 1 },
      labelVariable('job', 'Job', 'label_values(chauffeur_build_info, job)'),
      labelVariable('instance', 'Process', 'label_values(chauffeur_build_info{job="$job"}, instance)', {
        multi: true,
        includeAll: true,
        current: { text: ['All'], value: ['$__all'] },
      }),
    ],
  },
};

function typeOf({ stat }: Panel): 'stat' | 'timeseries' {
  return stat === true ? 'stat' : 'timeseries';
}

function panelOf(panel: Panel, id: number, { x, y }: Place): object {
  const type = typeOf(panel);
  const { title, description, unit, queries } = panel;
  return {
    id,
    type,
    title,
    description,
    datasource: DATASOURCE,
    gridPos: { x, y, ...SIZES[type] },
    fieldConfig: {
      defaults: { unit, min: 0, ...(type === 'stat' ? { thresholds: thresholdsOf(panel) } : { custom: LINES }) },
      overrides: [],
    },
    options: type === 'stat' ? STAT : TIMESERIES,
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
      instant: type === 'stat',
      range: type !== 'stat',
    })),
  };
}

const LINES = { drawStyle: 'line', lineWidth: 1, fillOpacity: 10, showPoints: 'never' };
const TIMESERIES = {
  legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
  tooltip: { mode: 'multi', sort: 'desc' },
};
const STAT = {
  colorMode: 'value',
  graphMode: 'none',
  reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
};

function thresholdsOf({ thresholds }: Panel): object {
  const steps: { color: string; value: number | null }[] = [{ color: 'green', value: null }];
  if (thresholds !== undefined) {
    steps.push({ color: 'orange', value: thresholds.warning }, { color: 'red', value: thresholds.critical });
  }
  return { mode: 'absolute', steps };
}
