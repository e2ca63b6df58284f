const maxUrlLength = 2048;
const maxImageLength = 16 * 1024;

/**
 * Returns the first published logo that a web page can show: an https URL, or an image of at most 16 KB in a data: URL.
 */
export function firstUsableLogo(published: (string | undefined)[]): string | undefined {
  return published.map((logo) => logo?.trim()).find((logo): logo is string => logo !== undefined && isUsable(logo));
}

function isUsable(logo: string): boolean {
  if (logo.startsWith('data:'))
    return logo.length <= maxImageLength && /^data:image\/(?:svg\+xml|png|jpeg|gif|webp)[;,]/.test(logo);
  return logo.length <= maxUrlLength && /^https:\/\/[^\s"'<>\\]+$/.test(logo);
}
