//! Whatever order chunks are wanted, made, edited and given up in, a host that follows the changes draws a tiling of
//! chunks that are made and up to date, within its memory.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use weald_space::{ChunkKey, Lod, Seed, WorldPos};
use weald_world::{Cut, Piece, Region, Selection, Stream, StreamError, random_cut};

fn region() -> Region {
    Region::new(Lod::new(3).expect("a level"), [-1, 0, 0], [1, 1, 1]).expect("two roots")
}

fn selection(seed: u64, split: f64) -> Selection {
    let cut = random_cut(Seed::new(seed), region(), Lod::FINEST, split).expect("a small cut");
    let error_px = cut.chunks().iter().map(|chunk| f64::from(chunk.lod.index()) + 0.5).collect();
    Selection { cut, eye: WorldPos::default(), error_px, triangles: 0, held_at_px: None }
}

fn bytes_of(chunk: ChunkKey) -> u64 {
    (chunk.x + 7 * chunk.y + 3 * chunk.z).rem_euclid(5) as u64 * 100
}

#[derive(Clone, Debug)]
enum Step {
    Want { seed: u64, split: f64 },
    Begin(usize),
    Finish(usize),
    GiveUp(usize),
    Edit([i64; 3]),
    Advance,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        2 => (0_u64..8, 0.05..0.5_f64).prop_map(|(seed, split)| Step::Want { seed, split }),
        6 => (1_usize..60).prop_map(Step::Begin),
        6 => (0_usize..1000).prop_map(Step::Finish),
        1 => (0_usize..1000).prop_map(Step::GiveUp),
        2 => (-8_i64..8, 0_i64..8, 0_i64..8).prop_map(|(x, y, z)| Step::Edit([x, y, z])),
        6 => Just(Step::Advance),
    ];
    prop::collection::vec(step, 1..120)
}

/// What a host keeps.
#[derive(Default)]
struct Host {
    begun: Vec<Piece>,
    kept: BTreeMap<Piece, u64>,
    drawn: BTreeSet<Piece>,
    /// Made, or begun, before an edit touched them.
    stale: BTreeSet<Piece>,
}

impl Host {
    fn edit(&mut self, edited: &[ChunkKey]) {
        let touched = |piece: &&Piece| edited.iter().any(|&e| e.holds(piece.chunk) || piece.chunk.holds(e));
        self.stale.extend(self.begun.iter().chain(self.kept.keys()).filter(touched));
    }

    fn finish(&mut self, stream: &mut Stream, piece: Piece) -> Result<(), TestCaseError> {
        let bytes = bytes_of(piece.chunk);
        match stream.ready(piece, bytes, bytes as u32) {
            Ok(()) => {
                prop_assert!(!self.stale.contains(&piece), "{:?} is stale and was taken", piece);
                self.kept.insert(piece, bytes);
            }
            Err(StreamError::Stale(_)) => {
                prop_assert!(self.stale.contains(&piece), "{:?} was refused", piece)
            }
            Err(StreamError::OverBudget(over)) => prop_assert!(over.needed > over.budget),
            Err(other) => prop_assert!(false, "{}", other),
        }
        Ok(())
    }

    fn advance(&mut self, stream: &mut Stream, budget: u64) -> Result<(), TestCaseError> {
        let was_covered = stream.covered();
        let change = stream.advance();
        for piece in &change.hide {
            prop_assert!(self.drawn.remove(piece), "{:?} was hidden, but not drawn", piece);
        }
        for &piece in &change.show {
            prop_assert!(!self.stale.contains(&piece), "{:?} is stale and was shown", piece);
            prop_assert!(self.kept.contains_key(&piece), "{:?} is shown before it is made", piece);
            prop_assert!(self.drawn.insert(piece), "{:?} is drawn twice", piece);
        }
        for piece in &change.free {
            prop_assert!(!self.drawn.contains(piece), "{:?} is drawn and was freed", piece);
            prop_assert!(self.kept.remove(piece).is_some(), "{:?} was freed, but not kept", piece);
        }
        prop_assert_eq!(self.kept.values().sum::<u64>(), stream.bytes());
        prop_assert!(stream.bytes() <= budget, "{} bytes of {}", stream.bytes(), budget);
        prop_assert!(stream.covered() || !was_covered);
        let drawn = Cut::new(region(), self.drawn.iter().map(|piece| piece.chunk));
        match stream.shown() {
            Some(shown) => prop_assert_eq!(drawn.as_ref(), Ok(shown)),
            None => prop_assert!(self.drawn.is_empty()),
        }
        for &piece in &self.drawn {
            prop_assert_eq!(stream.drawn(piece.chunk), Some(piece));
        }
        // No seam between the ground before an edit and after it: what is stale stays together.
        let stale_left = self.drawn.iter().any(|piece| self.stale.contains(piece));
        let renewed = change.show.iter().any(|new| change.free.iter().any(|old| old.chunk == new.chunk));
        prop_assert!(!(stale_left && renewed), "an edit is shown in part");
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_host_that_follows_draws_a_whole_and_fresh_ground(
        steps in steps(), budget in prop::sample::select(vec![3_000, 20_000, u64::MAX]), order: u64,
    ) {
        let mut stream = Stream::new(region(), budget);
        let mut host = Host::default();
        for step in steps {
            match step {
                Step::Want { seed, split } => stream.want(selection(seed, split)).expect("the same region"),
                Step::Begin(count) => {
                    for _ in 0..count {
                        let Some(job) = stream.next_job() else { break };
                        prop_assert!(!host.begun.iter().any(|b| b.chunk == job.chunk && !host.stale.contains(b)));
                        host.begun.push(job);
                    }
                }
                Step::Finish(which) if !host.begun.is_empty() => {
                    for _ in 0..host.begun.len().min(12) {
                        let piece = host.begun.swap_remove(which % host.begun.len());
                        host.finish(&mut stream, piece)?;
                    }
                }
                Step::GiveUp(which) if !host.begun.is_empty() => {
                    let piece = host.begun.swap_remove(which % host.begun.len());
                    stream.give_up(piece);
                }
                Step::Edit([x, y, z]) => {
                    let edited = [ChunkKey::new(x, y, z), ChunkKey::new(x + 1, y, z)];
                    host.edit(&edited);
                    stream.invalidate(&edited);
                }
                Step::Advance => host.advance(&mut stream, budget)?,
                Step::Finish(_) | Step::GiveUp(_) => {}
            }
        }
        // Given time and room, what is wanted is what is shown, in whatever order the rest comes.
        let wish = selection(order % 8, 0.3);
        for round in 0..200_u64 {
            stream.want(wish.clone()).expect("the same region");
            while let Some(job) = stream.next_job() {
                host.begun.push(job);
            }
            let mut at = order ^ round;
            while !host.begun.is_empty() {
                at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let piece = host.begun.swap_remove((at >> 33) as usize % host.begun.len());
                host.finish(&mut stream, piece)?;
            }
            host.advance(&mut stream, budget)?;
            if stream.is_settled() {
                break;
            }
        }
        prop_assert!(stream.is_settled() || budget != u64::MAX, "never settled");
        prop_assert!(stream.is_settled() || stream.over_budget().is_some(), "stuck, and says nothing");
    }
}

#[test]
fn a_chunk_is_replaced_by_all_its_children_or_none() {
    let root = region().roots().next().expect("two roots");
    let children = root.children().expect("a root has children");
    let mut stream = Stream::new(region(), 1 << 20);
    let want = |cut: Cut| {
        let error_px = vec![1.0; cut.chunks().len()];
        Selection { cut, eye: WorldPos::default(), error_px, triangles: 0, held_at_px: None }
    };
    let coarse = Cut::coarsest(region());
    let fine = Cut::new(region(), children.into_iter().chain(region().roots().skip(1))).expect("a tiling");
    stream.want(want(coarse.clone())).expect("the same region");
    while let Some(job) = stream.next_job() {
        stream.ready(job, 100, 1).expect("room");
    }
    stream.advance();
    assert!(stream.is_settled());
    stream.want(want(fine.clone())).expect("the same region");
    let jobs: Vec<Piece> = std::iter::from_fn(|| stream.next_job()).collect();
    assert_eq!(jobs.len(), 8);
    for (i, &job) in jobs.iter().enumerate() {
        assert_eq!(stream.shown(), Some(&coarse), "{i} children are enough");
        stream.ready(job, 100, 1).expect("room");
        stream.advance();
    }
    assert_eq!(stream.shown(), Some(&fine));
    // The way back is in the cache.
    stream.want(want(coarse.clone())).expect("the same region");
    assert_eq!(stream.next_job(), None);
    stream.advance();
    assert_eq!(stream.shown(), Some(&coarse));
}

#[test]
fn roots_come_first_then_what_is_worst() {
    let mut stream = Stream::new(region(), 1 << 20);
    stream.want(selection(3, 1.0)).expect("the same region");
    let first: Vec<ChunkKey> = (0..2).filter_map(|_| stream.next_job()).map(|job| job.chunk).collect();
    assert!(region().roots().all(|root| first.contains(&root)), "{first:?}");
    let next = stream.next_job().expect("more is wanted");
    assert_eq!(next.chunk.lod, Lod::new(2).expect("a level"), "levels between stand in");
}

#[test]
fn another_region_is_refused() {
    let mut stream = Stream::new(region(), 1 << 20);
    let other = Region::new(Lod::FINEST, [0; 3], [1; 3]).expect("one root");
    let error_px = vec![0.0];
    let selection = Selection {
        cut: Cut::coarsest(other),
        eye: WorldPos::default(),
        error_px,
        triangles: 0,
        held_at_px: None,
    };
    assert_eq!(stream.want(selection), Err(StreamError::OtherRegion));
}

#[test]
fn a_join_that_an_edit_holds_up_gives_its_memory_back() {
    let roots: Vec<ChunkKey> = region().roots().collect();
    let children = roots[0].children().expect("a root has children");
    let coarse = Cut::coarsest(region());
    let fine = Cut::new(region(), children.into_iter().chain([roots[1]])).expect("a tiling");
    let want = |cut: &Cut| {
        let error_px = vec![1.0; cut.chunks().len()];
        Selection { cut: cut.clone(), eye: WorldPos::default(), error_px, triangles: 0, held_at_px: None }
    };
    let mut stream = Stream::new(region(), 1000);
    for _ in 0..3 {
        stream.want(want(&fine)).expect("the same region");
        while let Some(job) = stream.next_job() {
            stream.ready(job, 100, 1).expect("room");
        }
        stream.advance();
    }
    assert!(stream.is_settled());
    // The edit touches a child of the first root, and the second root; both wait for each other.
    let beyond = roots[1].children().and_then(|c| c[0].children()).and_then(|c| c[0].children());
    let beyond = beyond.expect("three levels down")[0];
    stream.invalidate(&[children[0], beyond]);
    stream.want(want(&coarse)).expect("the same region");
    let jobs: Vec<Piece> = std::iter::from_fn(|| stream.next_job()).collect();
    let job = |chunk| *jobs.iter().find(|job| job.chunk == chunk).expect("it is to be made");
    stream.ready(job(roots[0]), 300, 1).expect("it will replace eight of a hundred bytes");
    let change = stream.advance();
    assert!(change.free.contains(&job(roots[0])), "the second root is not made yet");
    assert!(stream.bytes() <= 1000 && stream.over_budget().is_some());
    stream.ready(job(roots[1]), 100, 1).expect("room");
    stream.want(want(&coarse)).expect("the same region");
    let again = stream.next_job().expect("the first root once more");
    stream.ready(again, 300, 1).expect("room");
    stream.advance();
    assert!(stream.is_settled() && stream.bytes() <= 1000);
}
