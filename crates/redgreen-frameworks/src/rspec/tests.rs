use redgreen_model::framework::FrameworkId;

use crate::adapter::{Adapter as _, InjectionRequest};
use crate::sides::tests::Files;
use crate::sides::{Side, SideCheck, Sides};
use crate::{detect, rspec, suggest};

#[test]
fn commands_that_run_it_are_recognised() {
    let cases = [
        ("rspec", Some(rspec::ID)),
        ("bundle exec rspec --fail-fast", Some(rspec::ID)),
        ("bin/rspec spec/a_spec.rb", Some(rspec::ID)),
        ("RAILS_ENV=test bundle exec rake db:schema:load spec:models", Some(rspec::ID)),
        ("ruby -Ilib spec/a_spec.rb", Some(rspec::ID)),
        ("rake spec && npx jest", Some(FrameworkId::OTHER)),
        ("bundle install", None),
        ("rake build", None),
        ("ruby lib/spec.rb", None),
    ];
    for (command, wanted) in cases {
        assert_eq!(detect(command), wanted, "{command}");
    }
}

#[test]
fn a_project_is_known_by_its_specs_or_their_settings() {
    let cases = [
        ("Gemfile spec/a_spec.rb", "bundle exec rspec in "),
        ("spec/models/a_spec.rb lib/a.rb", "rspec in "),
        ("api/.rspec api/Gemfile web/package.json", "bundle exec rspec in api"),
        ("Gemfile test/a_test.rb", ""),
        ("spec/a.spec.js", ""),
    ];
    for (paths, wanted) in cases {
        let files: Vec<(&str, &str)> = paths.split(' ').map(|path| (path, "")).collect();
        let checks = suggest(&Files::of(&files)).into_iter();
        let found = checks.filter(|check| check.framework == rspec::ID);
        let found: Vec<String> =
            found.map(|check| format!("{} in {}", check.command, check.folder)).collect();
        assert_eq!(found.concat(), wanted, "{paths}");
    }
}

#[test]
fn options_and_listener_of_the_user_stay() {
    let inherited = |name: &str| match name {
        "RUBYOPT" => Some("-W0".to_owned()),
        "RUBYLIB" => Some("lib".to_owned()),
        _ => None,
    };
    let request = InjectionRequest {
        run_folder: "/run it".as_ref(),
        program: "/bin/redgreen".as_ref(),
        measure: &[],
        only: None,
        corner: false,
        by_exit_code: false,
        inherited: &inherited,
    };
    let env = rspec::Rspec.inject(&request).env;
    let value = |name: &str| env.iter().find(|(known, _)| known == name).map(|it| it.1.as_str());
    assert_eq!(value("RUBYOPT"), Some("-rrspec/core/redgreen -W0"));
    assert_eq!(value("RUBYLIB"), Some("/run it/ruby/lib:lib"));
}

#[test]
fn what_judges_is_known_by_names_options_and_the_command() {
    let files = Files::of(&[
        (
            ".rspec",
            "--require spec_helper\n--require ./checks/loader --require ./lib/shop\n--pattern checks/**/*.rb\n",
        ),
        ("lib/shop.rb", ""),
        ("checks/loader.rb", ""),
        ("Rakefile", ""),
    ]);
    let side = |command: &str, path: &str| {
        let check = SideCheck { framework: rspec::ID, folder: "", command };
        Sides::new(&files, &[check], &[]).side(path)
    };
    let cases = [
        ("spec/shop_spec.rb", Side::Tests),
        ("components/cart/cart_spec.rb", Side::Tests),
        ("spec/support/orders.yml", Side::Tests),
        ("spec_helper.rb", Side::Tests),
        (".rspec", Side::Tests),
        ("checks/loader.rb", Side::Tests),
        ("checks/deep/price.rb", Side::Tests),
        ("vendor/bundle/ruby/3.1.0/gems/rspec-core-3.12.0/lib/rspec/core.rb", Side::Tests),
        ("lib/shop.rb", Side::Code),
        ("Gemfile", Side::Code),
        ("Gemfile.lock", Side::Inert),
        ("Rakefile", Side::Code),
    ];
    for (path, wanted) in cases {
        assert_eq!(side("bundle exec rspec", path), wanted, "{path}");
    }
    assert_eq!(side("bundle exec rake spec", "Rakefile"), Side::Tests);
}
