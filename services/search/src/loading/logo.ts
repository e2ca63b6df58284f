const maxUrlLength = 2048;
const maxImageLength = 16 * 1024;

/** A logo that pages can show: an https address or a small image in a data: URL; the first of those published that is. */
export function firstUsableLogo(published: (string | undefined)[]): string | undefined {
  return published.map((logo) => logo?.trim()).find((logo): logo is string => logo !== undefined && isUsable(logo));
}

function isUsable(logo: string): boolean {
  if (logo.startsWith('data:'))
    return logo.length <= maxImageLength && /^data:image\/(?:svg\+xml|png|jpeg|gif|webp)[;,]/.test(logo);
  return logo.length <= maxUrlLength && /^https:\/\/[^\s"'<>\\]+$/.test(logo);
}
