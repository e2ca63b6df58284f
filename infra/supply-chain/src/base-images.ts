/**
 * The variables of docker-compose.yml that name base images, with their defaults.
 * @throws Error when the file names none
 */
export function baseImages(compose: string): Record<string, string> {
  const found = [...compose.matchAll(/\$\{([A-Z]+_IMAGE):-([^}]+)\}/g)].map(([, variable, image]) => [variable, image]);
  if (found.length === 0) throw new Error('docker-compose.yml names no base image');
  return Object.fromEntries(found) as Record<string, string>;
}

/**
 * A line of a file `.env` that pins an image to its digest.
 * @param repoDigests of `docker image inspect`, as JSON; empty for an image that comes from no registry
 * @returns undefined when the digest is not known
 */
export function pinnedLine(variable: string, image: string, repoDigests: string): string | undefined {
  const digest = /@(sha256:[0-9a-f]{64})"/.exec(repoDigests)?.[1];
  return digest === undefined ? undefined : `${variable}=${image}@${digest}`;
}
