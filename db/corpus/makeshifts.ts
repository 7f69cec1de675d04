/** Posts in which somebody makes do, for want of what a card is about. */
import type { Queryable } from "../sql.ts";

/** A post of the pattern `workaround` that states a want. */
export interface MakeshiftPost {
  readonly wantId: string;
  readonly postId: string;
  readonly title: string;
  readonly body: string;
  readonly community: string;
  readonly permalink: string;
  readonly upvotes: number;
  readonly createdAt: Date;
}

/** The counted statements of each want in whose posts somebody makes do; up to `limit`, the newest first. */
export async function makeshiftPosts(
  sql: Queryable,
  wantIds: readonly string[],
  limit: number,
): Promise<MakeshiftPost[]> {
  // Few wants have any: which ones is counted already.
  return await sql<MakeshiftPost[]>`
    select f.want_id as "wantId", s.post_id as "postId", p.title, p.body, p.community, p.permalink,
      p.upvotes, s.created_at as "createdAt"
    from want_facts f
    cross join lateral (
      select t.post_id, t.created_at from want_statements t join signals g on g.post_id = t.post_id
      where t.want_id = f.want_id and t.counted and g.pattern = 'workaround'
      order by t.created_at desc, t.post_id limit ${limit}) s
    join posts p on p.id = s.post_id
    where f.want_id = any(${[...wantIds]}) and f.type = 'pattern' and f.value = 'workaround'
    order by f.want_id, s.created_at desc, s.post_id`;
}
