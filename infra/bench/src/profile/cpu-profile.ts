import { z } from 'zod';

/** A CPU profile of V8: `Profiler.Profile` of the Chrome DevTools Protocol. */
export const cpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
    }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});
export type CpuProfile = z.infer<typeof cpuProfile>;

export interface Share {
  name: string;
  /** The fraction of the busy time, from 0 to 1. */
  part: number;
}

export interface ProfileSummary {
  /** The fraction of the total time in which the process was busy, from 0 to 1. */
  busy: number;
  functions: Share[];
  packages: Share[];
}

/** Sums the self time of each function and of each package. */
export function summarizeProfile({ nodes, samples, timeDeltas }: CpuProfile, top: number): ProfileSummary {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const functions = new Map<string, number>();
  const packages = new Map<string, number>();
  let whole = 0;
  let busy = 0;
  samples.forEach((id, index) => {
    const frame = frames.get(id);
    const time = Math.max(0, timeDeltas[index] ?? 0);
    whole += time;
    if (!frame || frame.functionName === '(idle)') return;
    busy += time;
    const from = packageOf(frame.url, frame.functionName);
    add(packages, from, time);
    add(
      functions,
      frame.url === ''
        ? frame.functionName
        : `${frame.functionName || '(anonymous)'}  ${from} ${frame.url.slice(frame.url.lastIndexOf('/') + 1)}:${frame.lineNumber + 1}`,
      time,
    );
  });
  const shares = (times: Map<string, number>): Share[] =>
    [...times]
      .map(([name, time]) => ({ name, part: busy === 0 ? 0 : time / busy }))
      .sort((a, b) => b.part - a.part)
      .slice(0, top);
  return { busy: whole === 0 ? 0 : busy / whole, functions: shares(functions), packages: shares(packages) };
}

/** The npm package, the workspace project or the module of Node that a file belongs to. */
export function packageOf(url: string, functionName = ''): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native';
  if (url.startsWith('node:')) return /^node:(?:internal\/)?[^/]+/.exec(url)?.[0] ?? 'node';
  const [, dependency] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  const [, project] = /\/(?:packages|services|infra)\/([^/]+)\/dist\//.exec(url) ?? [];
  return dependency ?? project ?? 'other';
}

export function renderProfile(title: string, { busy, functions, packages }: ProfileSummary): string {
  const percent = (part: number): string => `${(part * 100).toFixed(1).padStart(5)} %`;
  const list = (shares: Share[]): string => shares.map(({ name, part }) => `  ${percent(part)}  ${name}`).join('\n');
  return `${title}: busy ${percent(busy).trim()} of the time. Of that, by package:\n${list(packages)}\nby function (self time):\n${list(functions)}\n`;
}

function add(times: Map<string, number>, name: string, time: number): void {
  times.set(name, (times.get(name) ?? 0) + time);
}
