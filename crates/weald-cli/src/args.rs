//! The command line, typed.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand};
use weald::bake::recipe::Extent;
use weald::space::Axis;

const EXIT_CODES: &str = "\
Exit codes:
  0   done
  1   a check found defects
  2   the command line or the world file is wrong
  3   input data cannot be read
  4   an output cannot be written
  5   interrupted; what was made is kept
  70  a bug in weald";

/// Grows voxel worlds from elevation, noise and solids, and bakes them for other programs.
#[derive(Debug, Parser)]
#[command(name = "weald", version, propagate_version = true, after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Print errors only
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a commented world file to start from
    #[command(after_help = "Example:\n  weald new hill && weald bake hill.ron")]
    New(New),
    /// Read a world file and its data without baking
    #[command(after_help = "Example:\n  weald check worlds/valley.ron")]
    Check(Check),
    /// Print the JSON Schema of the world file
    #[command(after_help = "Example:\n  weald schema > world.schema.json")]
    Schema,
    /// Bake a world: a GLB file, pictures and a report
    #[command(after_help = "\
Examples:
  weald bake worlds/valley.ron
  weald bake worlds/valley.ron --region -512,-512,512,512 --out /tmp/part
  weald bake worlds/valley.ron --jobs 1 --no-pictures

A bake that is interrupted goes on from where it was. A second bake makes only what changed.
The mesh is checked at the end; if it has defects, all is written and the exit code is 1.")]
    Bake(Bake),
    /// Take a picture of a world or of a baked folder, without a GPU
    #[command(after_help = "\
Examples:
  weald preview worlds/valley.ron
  weald preview bakes/valley --eye 900,-1400,700 --target 0,0,400 --size 1920x1080
  weald preview bakes/valley --plan --out plan.png
  weald preview bakes/valley --plan --levels --eye 400,-300,500

With --levels the picture shows what a viewer is shown while the world is streamed: chunks of each level of detail in a
colour of its own. The viewer stands at --eye, or in the middle of the region where none is given.")]
    Preview(Preview),
    /// Look into a world: what is where, and why
    #[command(subcommand)]
    Inspect(Inspect),
    /// Check a baked mesh, or cuts through its levels of detail, for cracks and other defects
    #[command(after_help = "\
Examples:
  weald verify bakes/valley
  weald verify bakes/valley --cuts 100
  weald verify bakes/valley --cuts 20 --seed 7 --jobs 1

A cut tiles the region with chunks, each at a level of its own. With --cuts, random ones are sewn from the store and checked
as a whole; they depend on the seed and on the bake alone.")]
    Verify(Verify),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  weald completions bash > ~/.local/share/bash-completion/completions/weald"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(after_help = "Example:\n  weald man > weald.1 && man ./weald.1")]
    Man,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct New {
    /// Name of the world: letters, digits, '-' and '_'. Writes NAME.ron here
    pub(crate) name: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Check {
    /// The world file
    pub(crate) world: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Bake {
    /// The world file
    pub(crate) world: PathBuf,
    /// Bake this rectangle, in metres, instead of the world file's region; it is widened to whole chunks
    #[arg(long, value_name = "X0,Y0,X1,Y1", value_parser = region, allow_hyphen_values = true)]
    pub(crate) region: Option<Extent>,
    /// Folder for the outputs and the store [default: bakes/NAME]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Threads [default: one a core]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Take no pictures
    #[arg(long)]
    pub(crate) no_pictures: bool,
    /// Refuse to let the store grow beyond this many MiB
    #[arg(long, value_name = "MIB")]
    pub(crate) store_limit: Option<u32>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Preview {
    /// A world file, which is baked as far as needed, or the folder of a bake
    #[arg(value_name = "WORLD|DIR")]
    pub(crate) subject: PathBuf,
    /// Where the camera stands, in metres; with --levels the viewer, who needs no camera
    #[arg(long, value_name = "X,Y,Z", value_parser = place, allow_hyphen_values = true)]
    pub(crate) eye: Option<[f64; 3]>,
    /// What it looks at, in metres
    #[arg(long, value_name = "X,Y,Z", value_parser = place, allow_hyphen_values = true, requires = "eye")]
    pub(crate) target: Option<[f64; 3]>,
    /// Angle of view from bottom to top, in degrees
    #[arg(long, value_name = "DEG")]
    pub(crate) fov: Option<f64>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub(crate) size: Option<(u32, u32)>,
    /// Look from straight above, north up
    #[arg(long, conflicts_with_all = ["target", "fov"])]
    pub(crate) plan: bool,
    /// Show the levels of detail that a viewer is shown, each in its own colour
    #[arg(long)]
    pub(crate) levels: bool,
    /// Pixels of a picture 1,080 high that a level may be wrong by before a finer one is shown [default: 2, or more, so that all levels show]
    #[arg(long, value_name = "PX", requires = "levels")]
    pub(crate) pixels: Option<f64>,
    /// The PNG file to write [default: view.png in the folder of the bake]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Threads [default: one a core]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Inspect {
    /// Show the field of a world at places, or draw a cut through it
    #[command(after_help = "\
Examples:
  weald inspect field worlds/valley.ron --at 0,0,400 --at 10,-20,395.5
  weald inspect field worlds/valley.ron --at 0,0,400 --json
  weald inspect field worlds/valley.ron --slice y=0 --out cut.png
  weald inspect field worlds/valley.ron --slice z=420 --region -300,-300,300,300 --size 1600x1200

A value is in metres and negative inside. The gradient points to where it grows, which is outwards; its length is 1
where the value is a distance. A cut shows in pale colours where the field's bounds alone tell inside from outside, and in
full ones where a bake evaluates it.")]
    Field(InspectField),
}

#[derive(Debug, ClapArgs)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["at", "slice"]))]
pub(crate) struct InspectField {
    /// The world file
    pub(crate) world: PathBuf,
    /// A place to look at, in metres; may be given several times
    #[arg(long, value_name = "X,Y,Z", value_parser = place, allow_hyphen_values = true)]
    pub(crate) at: Vec<[f64; 3]>,
    /// Draw the plane across an axis: through the middle, or where it is said [default: y]
    #[arg(
        long,
        value_name = "AXIS[=METRES]",
        value_parser = slice,
        num_args = 0..=1,
        default_missing_value = "y"
    )]
    pub(crate) slice: Option<(Axis, Option<f64>)>,
    /// Show this rectangle of the cut: in x and y for a cut across z, y and z across x, x and z across y
    #[arg(
        long,
        value_name = "X0,Y0,X1,Y1",
        value_parser = region,
        allow_hyphen_values = true,
        requires = "slice"
    )]
    pub(crate) region: Option<Extent>,
    /// Width and height of the cut in pixels [default: 1200 and what fits]
    #[arg(long, value_name = "WxH", value_parser = size, requires = "slice")]
    pub(crate) size: Option<(u32, u32)>,
    /// The PNG file to write [default: cut.png]
    #[arg(long, value_name = "FILE", requires = "slice")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Verify {
    /// The folder of a bake, or a GLB file
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Check this many random cuts through the levels of detail instead
    #[arg(long, value_name = "N")]
    pub(crate) cuts: Option<NonZeroU32>,
    /// Seed of the random cuts [default: 1]
    #[arg(long, value_name = "S", requires = "cuts")]
    pub(crate) seed: Option<u64>,
    /// Threads for the cuts, each with one in memory [default: one a core]
    #[arg(long, value_name = "N", requires = "cuts")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

/// `N` numbers with commas between; `wanted` says how they are written.
fn numbers<const N: usize>(text: &str, wanted: &str) -> Result<[f64; N], String> {
    let number = |part: &str| {
        let part = part.trim();
        part.parse::<f64>().map_err(|_| format!("\"{part}\" is not a number; wanted is {wanted}"))
    };
    let parsed: Vec<f64> = text.split(',').map(number).collect::<Result<_, _>>()?;
    let count = parsed.len();
    let were = if count == 1 { "number was" } else { "numbers were" };
    parsed
        .try_into()
        .map_err(|_| format!("{count} {were} given, must be {N}, separated by commas; wanted is {wanted}"))
}

fn region(text: &str) -> Result<Extent, String> {
    let [x0, y0, x1, y1] = numbers(text, "X0,Y0,X1,Y1 in metres, such as -512,-512,512,512")?;
    Ok(Extent { min: [x0, y0], max: [x1, y1] })
}

fn place(text: &str) -> Result<[f64; 3], String> {
    let place: [f64; 3] = numbers(text, "X,Y,Z in metres, such as 120,-40,310.5")?;
    if place.iter().all(|metres| metres.is_finite()) {
        Ok(place)
    } else {
        Err("a place is finite".to_owned())
    }
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let (width, height) = text.split_once(['x', 'X']).ok_or("a size is written as 1600x900")?;
    let side = |text: &str| text.trim().parse::<u32>().map_err(|error| error.to_string());
    Ok((side(width)?, side(height)?))
}

/// An axis, and where on it.
fn slice(text: &str) -> Result<(Axis, Option<f64>), String> {
    const WANTED: &str = "x, y or z, and where, such as z=120";
    let (name, at) = match text.split_once('=') {
        Some((name, at)) => (name, Some(at)),
        None => (text, None),
    };
    let axis = match name.trim() {
        "x" | "X" => Axis::X,
        "y" | "Y" => Axis::Y,
        "z" | "Z" => Axis::Z,
        other => return Err(format!("\"{other}\" is no axis; wanted is {WANTED}")),
    };
    let [metres] = at.map_or(Ok([0.0]), |at| numbers(at, WANTED))?;
    if !metres.is_finite() {
        return Err("a place is finite".to_owned());
    }
    Ok((axis, at.map(|_| metres)))
}
