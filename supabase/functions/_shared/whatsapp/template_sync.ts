export { type MediaPatience, type TemplateMedia, uploadMedia } from "./template_media.ts";
export { rereadTemplate } from "./template_reread.ts";
